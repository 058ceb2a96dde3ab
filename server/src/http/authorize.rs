//! Authentication by a token in the `Authorization` header, and authorization.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;
use leafid_wire::path;

use crate::access::caller::Caller;
use crate::access::principal::{Pattern, Principal, Verb};
use crate::access::tokens::{Member, Tokens};
use crate::routes::answer::Refused;
use crate::routes::input::query;

static REFUSED: Rate = Rate::new();

/// Middleware: refuses requests that the token's principal may not make.
pub async fn authorize(
    State((tokens, verb)): State<(Arc<Tokens>, Verb)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut head, body) = request.into_parts();
    let entered = allowed(&tokens, verb, &mut head).await;
    let entered = entered.and_then(|member| Ok((member.meter.enter(&member.who)?, member)));
    let (_room, member) = match entered {
        Ok(entered) => entered,
        Err(problem) => return refused(&problem, &head),
    };
    if let Some(caller) = head.extensions.get_mut::<Caller>() {
        caller.member = Some(member);
    }
    next.run(Request::from_parts(head, body)).await
}

async fn allowed(tokens: &Tokens, verb: Verb, head: &mut Parts) -> Result<Arc<Member>, Problem> {
    let member = tokens.member(token(head)?)?;
    let who = &member.who;
    if !who.verbs.contains(&verb) {
        return Err(forbidden(who, format!("`{}` is not among its verbs", verb.name())));
    }
    let lists_more = match head.uri.path() {
        path::TAGS => !who.tags.iter().any(Pattern::is_all),
        path::NAMESPACES => !who.namespaces.iter().any(Pattern::is_all),
        _ => false,
    };
    if lists_more {
        let why = "a list shows every name, and it may use some; ask by name";
        return Err(forbidden(who, why.to_owned()));
    }
    if head.uri.path().starts_with(path::SERVERS)
        && !(who.tags.iter().any(Pattern::is_all) && who.namespaces.iter().any(Pattern::is_all))
    {
        let why = "a server has grants of every tag and namespace, and it may use some";
        return Err(forbidden(who, why.to_owned()));
    }
    let params = RawPathParams::from_request_parts(head, &()).await;
    let params = params.map_err(|error| Problem::new(Code::RequestInvalid, error.body_text()))?;
    // The handler refuses any other field.
    let query = query(&head.uri, &["namespace"]).unwrap_or_default();
    let in_query = query.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in params.iter().chain(in_query) {
        let is_allowed = match name {
            "tag" => who.may_tag(value),
            "namespace" => who.may_namespace(value),
            _ => true,
        };
        if !is_allowed {
            let why = format!("{name} `{}` is not among those it may use", shown(value));
            return Err(forbidden(who, why));
        }
    }
    Ok(member)
}

fn token(head: &Parts) -> Result<&str, Problem> {
    let unauthorized = |detail: &str| Problem::new(Code::Unauthorized, detail);
    let mut said = head.headers.get_all(AUTHORIZATION).iter();
    let value = match (said.next(), said.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        (None, _) => {
            return Err(unauthorized(
                "this server wants a token: set LEAFID_TOKEN, or send `Authorization: Bearer TOKEN`; \
                 the operator makes one with: leafid token create NAME --tokens FILE, FILE being \
                 what the server was given as --tokens",
            ));
        }
        _ => return Err(unauthorized("the request has two `Authorization` headers; send one")),
    };
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() => {
            Ok(token.trim())
        }
        _ => Err(unauthorized("`Authorization` must be `Bearer TOKEN`")),
    }
}

/// Whether the caller of a path that needs no token may see its whole answer: it sent a valid token, or
/// this listener asks for none.
pub fn is_known(head: &Parts) -> bool {
    let is_valid =
        |tokens: &Arc<Tokens>| token(head).and_then(|token| tokens.member(token)).is_ok();
    head.extensions.get().is_none_or(is_valid)
}

fn forbidden(who: &Principal, why: String) -> Problem {
    let detail = format!("principal `{}` may not do this: {why}", who.name);
    Problem::new(Code::Forbidden, detail)
}

/// Logs a refusal, once a second per code.
pub fn log_refusal(Problem { code, detail, .. }: &Problem, head: &Parts, caller: &Caller) {
    if let Some(left_out) = REFUSED.admit(*code) {
        let (method, path) = (&head.method, head.uri.path());
        tracing::warn!(%caller, %method, path, %code, left_out, "refused: {detail}");
    }
}

/// Answers with a refusal, and logs it.
fn refused(problem: &Problem, head: &Parts) -> Response {
    if let Some(caller) = head.extensions.get() {
        log_refusal(problem, head, caller);
    }
    let mut response = Refused(problem.clone()).into_response();
    if problem.code == Code::Unauthorized {
        let bearer = HeaderValue::from_static("Bearer realm=\"leafid\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
    }
    response
}

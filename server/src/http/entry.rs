//! An address of a listener, and the way of every request through it: the guard, the request's id, its
//! caller, its path, and a line in the log for each answer with status 500 or above.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderValue, Method, Uri};
use axum::response::Response;
use leafid_leaf::service::LeafService;
use leafid_store::problem::{Figure, Problem};
use leafid_store::rate::Rate;
use tower::Service;
use tracing::Instrument;
use tracing::field::Empty;

use super::deadlines::Limits;
use super::listener::Listener;
use super::request_id::{self, Trace};
use super::rules::Rules;
use super::{admission, guard, router};
use crate::access::caller::Caller;
use crate::app::App;

static FAILED: Rate = Rate::new();

/// One address of a listener.
pub struct Entry {
    pub listener: Listener,
    pub rules: Rules,
    pub limits: Limits,
    pub app: Arc<App>,
    pub paths: Paths,
}

/// The service at an address.
pub enum Paths {
    Api(Router),
    /// Leaf's clients do not know our problems, so nothing else answers them.
    Leaf(LeafService),
}

impl Entry {
    /// All paths, for a verb that calls them in its own process.
    pub fn local(app: Arc<App>) -> Entry {
        let (listener, rules) = (Listener::COMMAND, Rules::default());
        let paths = Paths::Api(router::paths(&app, listener, &rules, &[]));
        Entry { listener, rules, limits: Limits::default(), app, paths }
    }

    /// Answers a request; a verb that asks in its own process has no address.
    pub async fn answer(&self, request: Request, peer: Option<SocketAddr>) -> Response {
        match &self.paths {
            // Boxed, as hyper moves each request's future, which has to be small for an ID of Leaf's.
            Paths::Api(paths) => Box::pin(self.enter(request, peer, paths.clone())).await,
            Paths::Leaf(leaf) => {
                let (head, body) = request.into_parts();
                let admitted = admission::check(self, &head, peer);
                leaf.answer(Request::from_parts(head, body), admitted).await
            }
        }
    }

    async fn enter(
        &self,
        request: Request,
        peer: Option<SocketAddr>,
        mut paths: Router,
    ) -> Response {
        let (mut head, body) = request.into_parts();
        let admitted = guard::admit(&head, body, &self.rules.hosts, self.limits.body).await;
        // The body is read: from here on the time is the server's, not that of a slow client.
        let began = Instant::now();
        // A caller's id is not taken over if the body has it, too: it may be a secret.
        let read = admitted.as_ref().ok();
        let trace = read.and_then(|body| Trace::given(&head.headers, body));
        let given = read.and_then(|body| request_id::given(&head.headers, body, trace.as_ref()));
        let id = given.unwrap_or_else(request_id::fresh);
        let caller = Caller { listener: self.listener.name, peer, member: None };
        let (method, uri) = (head.method.clone(), head.uri.clone());
        let span =
            tracing::error_span!("request", request_id = %id, trace_id = Empty, span_id = Empty);
        if let Some(trace) = &trace {
            span.record("trace_id", &trace.id);
            span.record("span_id", &trace.span);
        }
        let mut response = match admitted {
            Ok(body) => {
                head.extensions.insert(caller.clone());
                // A router is always ready, and never fails.
                let request = Request::from_parts(head, Body::from(body));
                let Ok(response) = paths.call(request).instrument(span.clone()).await;
                response
            }
            Err(response) => response,
        };
        let (took, status) = (began.elapsed(), response.status().as_u16());
        self.app.requests.note(uri.path(), status, took);
        span.in_scope(|| {
            tracing::debug!(%caller, %method, path = uri.path(), status, ?took, "answered");
            if let Some(problem) = response.extensions().get::<Problem>() {
                self.app.requests.refused(problem.code);
                report(problem, status, &caller, &method, &uri);
            }
        });
        if let Some(trace) = trace {
            response.headers_mut().insert(request_id::TRACE, trace.value);
        }
        named(response, id)
    }
}

/// Logs answers with status 500 or above, once a second per code: caller, method and path, never the body,
/// in which the `request` of an acquire is the key of its lease.
fn report(problem: &Problem, status: u16, caller: &Caller, method: &Method, uri: &Uri) {
    if status >= 500
        && let Some(left_out) = FAILED.admit(problem.code)
    {
        let (code, path) = (problem.code, uri.path());
        let what = format!("request failed: {}", problem.detail);
        // A 503 ends by itself, and some are ordinary: all numbers held, a full queue.
        if status == 503 {
            tracing::warn!(%caller, %method, path, status, %code, left_out, "{what}");
        } else {
            tracing::error!(%caller, %method, path, status, %code, left_out, "{what}");
        }
    }
}

/// Puts the request's id into the answer's header, and into its problem.
pub fn named(mut response: Response, id: String) -> Response {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let problem = problem.with("request_id", Figure::Text(id.clone()));
        *response.body_mut() = Body::from(problem.json());
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    if let Ok(value) = HeaderValue::try_from(id) {
        response.headers_mut().insert(request_id::HEADER, value);
    }
    response
}

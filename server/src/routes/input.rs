//! Extractors: names in the path, an object in the body, a page in the query.

use std::collections::BTreeMap;

use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Uri};
use leafid_core::{Code, NAME_BYTES, Name};
use leafid_store::json::{Reader, shown};
use leafid_store::problem::Problem;
use leafid_wire::{FieldReader, strict};

use super::answer::Refused;
use super::body::must_be_json;

/// Rows of a list: the default, and the most.
pub const ROWS: (u32, u32) = (100, 1_000);

pub struct Input(pub Reader);

macro_rules! in_path {
    ($($(#[$doc:meta])* $name:ident($value:ty) from $field:literal by $read:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name(pub $value);

        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = Refused;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<$name, Refused> {
                let text = path(parts, state, $field).await?;
                Ok($name($read(&text)?))
            }
        }
    )+};
}

in_path! {
    TagPath(Name) from "tag" by tag;
    NamespacePath(Name) from "namespace" by namespace;
    WorkerPath(u32) from "worker" by |text: &str| worker(text, Code::WorkerInvalid);
    /// The ID in the path, as text.
    IdPath(String) from "id" by |text: &str| Ok::<_, Problem>(text.to_owned());
}

impl<S: Send + Sync> FromRequest<S> for Input {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Input, Refused> {
        must_be_json(request.headers())?;
        // The guard has read it already, and found it small enough.
        let body = to_bytes(request.into_body(), usize::MAX)
            .await
            .map_err(|error| Problem::new(Code::Internal, format!("the body is lost: {error}")))?;
        Ok(Input(Reader::parse(&body)?))
    }
}

pub fn tag(text: &str) -> Result<Name, Problem> {
    Name::tag(text).map_err(|refusal| unnamed(refusal.code, "tag", text))
}

pub fn namespace(text: &str) -> Result<Name, Problem> {
    Name::namespace(text).map_err(|refusal| unnamed(refusal.code, "namespace", text))
}

fn unnamed(code: Code, what: &str, text: &str) -> Problem {
    let detail = format!(
        "`{}` is not a valid {what}: use 1 to {NAME_BYTES} letters, digits and `._:-`, starting \
         with a letter or a digit",
        shown(text)
    );
    Problem::new(code, detail)
}

pub fn worker(text: &str, code: Code) -> Result<u32, Problem> {
    small(text).ok_or_else(|| {
        let detail = format!("`{}` is not a worker number; use 0 to {}", shown(text), u32::MAX);
        Problem::new(code, detail)
    })
}

fn small(text: &str) -> Option<u32> {
    strict::decimal(text).ok()?.try_into().ok()
}

pub fn count(input: Reader) -> Result<u64, Problem> {
    Ok(input.all(|from| from.number("count")?.ok_or(Code::RequestInvalid.into()))?)
}

/// The query's fields; refuses any that is not `known`.
pub fn query(uri: &Uri, known: &[&str]) -> Result<BTreeMap<String, String>, Problem> {
    let invalid = |detail: String| Problem::new(Code::RequestInvalid, detail);
    let Query(said) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|error| invalid(format!("the query cannot be read: {}", error.body_text())))?;
    let mut fields = BTreeMap::new();
    for (field, value) in said {
        if !known.contains(&field.as_str()) {
            return Err(invalid(format!("unknown field `{}` in the query", shown(&field))));
        }
        if fields.contains_key(&field) {
            return Err(invalid(format!("field `{field}` is given twice in the query")));
        }
        fields.insert(field, value);
    }
    Ok(fields)
}

/// `If-None-Match: *`: create, never change.
pub fn only_create(headers: &HeaderMap) -> Result<bool, Problem> {
    only(headers, &IF_NONE_MATCH, "`If-None-Match` must be `*`, given once: create, do not change")
}

/// `If-Match: *`: change, never create.
pub fn only_change(headers: &HeaderMap) -> Result<bool, Problem> {
    only(headers, &IF_MATCH, "`If-Match` must be `*`, given once: change, do not create")
}

fn only(headers: &HeaderMap, name: &HeaderName, takes: &str) -> Result<bool, Problem> {
    let said: Vec<_> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
    match said[..] {
        [] => Ok(false),
        [b"*"] => Ok(true),
        _ => Err(Problem::new(Code::RequestInvalid, takes)),
    }
}

/// The page of a list that the query asks for.
pub fn page<K>(
    uri: &Uri,
    read: impl FnOnce(&str) -> Result<K, Problem>,
) -> Result<leafid_store::store::Page<K>, Problem> {
    let fields = query(uri, &["after", "limit"])?;
    let after = fields.get("after").filter(|after| !after.is_empty());
    let after = after.map(|after| read(after)).transpose()?;
    let limit = match fields.get("limit").map(|limit| (limit, small(limit))) {
        None => ROWS.0,
        Some((_, Some(limit))) if (1..=ROWS.1).contains(&limit) => limit,
        Some((limit, _)) => {
            let detail = format!("limit must be 1 to {}, got `{}`", ROWS.1, shown(limit));
            return Err(Problem::new(Code::RequestInvalid, detail));
        }
    };
    Ok(leafid_store::store::Page { after, limit })
}

async fn path<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    field: &str,
) -> Result<String, Problem> {
    let params = RawPathParams::from_request_parts(parts, state).await.map_err(|error| {
        Problem::new(
            Code::RequestInvalid,
            format!("the path is not valid UTF-8: {}", error.body_text()),
        )
    })?;
    let found = params.iter().find(|(name, _)| *name == field);
    Ok(found.map_or_else(String::new, |(_, value)| value.to_owned()))
}

//! The input of a handler: names in the path, an object in the body, a page in the query.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Uri};
use leafid_core::{Code, NAME_BYTES, Name, Refusal};
use leafid_store::json::{Reader, shown};
use leafid_store::problem::Problem;
use leafid_store::store::Page;
use leafid_wire::{FieldReader, Fields, strict};

use super::answer::Refused;
use super::body::must_be_json;
use crate::access::caller::Caller;
use crate::app::App;

/// Rows of a list: the default, and the most.
pub const ROWS: (u32, u32) = (100, 1_000);

/// A request as its handler reads it.
pub struct Input {
    pub app: Arc<App>,
    pub caller: Caller,
    pub head: Parts,
    params: RawPathParams,
    body: Bytes,
}

impl FromRequest<Arc<App>> for Input {
    type Rejection = Refused;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Input, Refused> {
        let (mut head, body) = request.into_parts();
        let invalid = |error: RawPathParamsRejection| {
            let detail = format!("the path is not valid UTF-8: {}", error.body_text());
            Problem::new(Code::RequestInvalid, detail)
        };
        let params = RawPathParams::from_request_parts(&mut head, app).await.map_err(invalid)?;
        let lost = |what: &str| Problem::new(Code::Internal, format!("the {what} is lost"));
        let caller = head.extensions.remove().ok_or_else(|| lost("caller"))?;
        // The guard has read it already, and found it small enough.
        let body = to_bytes(body, usize::MAX).await.map_err(|_| lost("body"))?;
        Ok(Input { app: Arc::clone(app), caller, head, params, body })
    }
}

impl Input {
    /// The part of the path with this name.
    pub fn path(&self, name: &str) -> &str {
        let found = self.params.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }

    pub fn tag(&self) -> Result<Name, Problem> {
        tag(self.path("tag"))
    }

    pub fn namespace(&self) -> Result<Name, Problem> {
        namespace(self.path("namespace"))
    }

    pub fn worker(&self) -> Result<u32, Problem> {
        worker(self.path("worker"), Code::WorkerInvalid)
    }

    /// Reads the object in the body.
    pub fn all<T>(
        &self,
        read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
    ) -> Result<T, Problem> {
        Ok(self.body()?.all(read)?)
    }

    /// Reads the object in the body, to which this name in the path belongs.
    pub fn ask<T: Fields>(&self, field: &'static str, name: Name) -> Result<T, Problem> {
        let mut body = self.body()?;
        body.put_path(field, name.as_str())?;
        Ok(body.all(T::get)?)
    }

    fn body(&self) -> Result<Reader, Problem> {
        must_be_json(&self.head.headers)?;
        Ok(Reader::parse(&self.body)?)
    }

    pub fn count(&self) -> Result<u64, Problem> {
        self.all(|from| from.number("count")?.ok_or(Code::RequestInvalid.into()))
    }

    /// The query's fields; refuses any that is not `known`.
    pub fn query(&self, known: &[&str]) -> Result<BTreeMap<String, String>, Problem> {
        query(&self.head.uri, known)
    }

    /// `If-None-Match: *`: create, never change.
    pub fn only_create(&self) -> Result<bool, Problem> {
        let takes = "`If-None-Match` must be `*`, given once: create, do not change";
        self.only(&IF_NONE_MATCH, takes)
    }

    /// `If-Match: *`: change, never create.
    pub fn only_change(&self) -> Result<bool, Problem> {
        self.only(&IF_MATCH, "`If-Match` must be `*`, given once: change, do not create")
    }

    fn only(&self, name: &HeaderName, takes: &str) -> Result<bool, Problem> {
        let said = self.head.headers.get_all(name).iter();
        match said.map(HeaderValue::as_bytes).collect::<Vec<_>>()[..] {
            [] => Ok(false),
            [b"*"] => Ok(true),
            _ => Err(Problem::new(Code::RequestInvalid, takes)),
        }
    }

    /// The page of a list that the query asks for.
    pub fn page<K>(
        &self,
        read: impl FnOnce(&str) -> Result<K, Problem>,
    ) -> Result<Page<K>, Problem> {
        let fields = self.query(&["after", "limit"])?;
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
        Ok(Page { after, limit })
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

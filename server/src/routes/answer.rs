//! Answers: JSON that is never cached, and problems.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_wire::Fields;

pub const PROBLEM_JSON: &str = "application/problem+json";

pub struct Json(pub Cow<'static, str>);

impl Json {
    pub fn empty() -> Json {
        Json("{}".into())
    }

    pub fn fields(value: &impl Fields) -> Json {
        Json(Writer::object(value).into())
    }

    pub fn write(write: impl FnOnce(&mut Writer)) -> Json {
        let mut writer = Writer::default();
        write(&mut writer);
        Json::of(writer)
    }

    pub fn of(writer: Writer) -> Json {
        Json(writer.end().into())
    }
}

impl IntoResponse for Json {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.0));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

#[derive(Debug)]
pub struct Refused(pub Problem);

impl<E: Into<Problem>> From<E> for Refused {
    fn from(problem: E) -> Refused {
        Refused(problem.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response<Body> {
        let Refused(problem) = self;
        let status = problem.http_status();
        let mut response = Response::new(Body::empty());
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(ms) = problem.retry_after_ms {
            // In whole seconds, rounded up.
            headers.insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1_000).max(1)));
        }
        // It becomes the body once the request's id is in it.
        response.extensions_mut().insert(problem);
        response
    }
}

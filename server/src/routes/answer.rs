//! Answers: JSON that no cache keeps, and problems.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use leafid_core::{FieldWriter, Fields};

use crate::json::Writer;
use crate::problem::{Figure, Problem};

/// The media type of a problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// A 200 with this JSON.
pub struct Json(pub Cow<'static, str>);

impl Json {
    /// An object without fields.
    pub fn empty() -> Json {
        Json("{}".into())
    }

    /// An object with these fields.
    pub fn fields(value: &impl Fields) -> Json {
        Json(Writer::object(value).into())
    }

    /// An object that is written field by field.
    pub fn write(write: impl FnOnce(&mut Writer)) -> Json {
        let mut writer = Writer::default();
        write(&mut writer);
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

impl Problem {
    /// Its JSON form.
    pub fn json(&self) -> String {
        let Json(body) = Json::write(|writer| {
            writer.text("type", "about:blank");
            writer.text("title", self.code.advice());
            writer.number("status", self.http_status().into());
            writer.text("code", self.code.as_str());
            writer.text("detail", &self.detail);
            self.retry_after_ms.inspect(|ms| writer.number("retry_after_ms", u64::from(*ms)));
            self.free_at.inspect(|at| writer.millis("free_at_ms", at.get()));
            for (field, figure) in &self.figures {
                match figure {
                    Figure::Number(number) => writer.number(field, *number),
                    Figure::Big(big) => writer.big(field, *big),
                    Figure::Text(text) => writer.text(field, text),
                }
            }
        });
        body.into_owned()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let status = self.http_status();
        let mut response = Response::new(Body::from(self.json()));
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(ms) = self.retry_after_ms {
            // In whole seconds, and not too early.
            headers.insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1_000).max(1)));
        }
        // For the log.
        response.extensions_mut().insert(self);
        response
    }
}

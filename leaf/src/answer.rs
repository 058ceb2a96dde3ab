//! The HTTP answers of Leaf: its statuses, media types and error bodies.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain;charset=UTF-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=UTF-8");

/// Leaf's error number for a key that does not exist.
pub const KEY_UNKNOWN: i8 = -2;
/// Leaf's error number for a known key whose next segment cannot be leased now.
pub const NOTHING_AT_HAND: i8 = -3;

/// Answers with an ID, in a media type that the request accepts.
pub fn id(id: u64, accept: Option<&HeaderValue>) -> Response {
    of(Body::from(id.to_string()), media(accept))
}

/// Answers a HEAD as a GET with an ID would be answered, without spending one.
pub fn head(accept: Option<&HeaderValue>) -> Response {
    of(Body::empty(), media(accept))
}

fn of(body: Body, media: HeaderValue) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}

/// Answers 200 with JSON.
pub fn json(text: String) -> Response {
    of(Body::from(text), JSON)
}

/// Answers with one of Leaf's error numbers instead of an ID.
pub fn failed(number: i8, path: &str) -> Response {
    let message = format!("Result{{id={number}, status=EXCEPTION}}");
    let exception = "com.sankuai.inf.leaf.server.exception.LeafServerException";
    error(StatusCode::INTERNAL_SERVER_ERROR, Some(exception), &message, path)
}

/// Answers for a page of a mode that is off.
pub fn mode_off(path: &str) -> Response {
    let message = "You should config leaf.segment.enable=true first";
    let exception = "java.lang.IllegalArgumentException";
    error(StatusCode::INTERNAL_SERVER_ERROR, Some(exception), message, path)
}

/// Answers 404 for a path that Leaf does not have.
pub fn unknown(path: &str) -> Response {
    error(StatusCode::NOT_FOUND, None, "No message available", path)
}

/// Answers 400 for a path with an encoded slash, `%2F`.
pub fn slash() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// Answers with an error in the words of Spring Boot, the framework below Leaf. A 500 closes the connection.
pub fn error(status: StatusCode, exception: Option<&str>, message: &str, path: &str) -> Response {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    let quoted = |text: &str| Value::from(text).to_string();
    let exception =
        exception.map_or(String::new(), |name| format!("\"exception\":{},", quoted(name)));
    let body = format!(
        "{{\"timestamp\":{now},\"status\":{},\"error\":{},{exception}\"message\":{},\"path\":{}}}",
        status.as_u16(),
        quoted(status.canonical_reason().unwrap_or("")),
        quoted(message),
        quoted(path)
    );
    let mut response = json(body);
    *response.status_mut() = status;
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// The media type for an ID: the first that is accepted by name.
fn media(accept: Option<&HeaderValue>) -> HeaderValue {
    let wanted = accept.and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let mut kinds = wanted.split(',').filter_map(|kind| kind.split(";q=").next());
    let named = kinds.find(|kind| kind.contains('/') && !kind.contains('*'));
    let Some(kind) = named.map(|kind| kind.trim().to_ascii_lowercase()) else { return PLAIN };
    let charset = if kind.contains(";charset=") { "" } else { ";charset=UTF-8" };
    HeaderValue::from_str(&format!("{kind}{charset}")).unwrap_or(PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_media_type_follows_what_is_accepted() {
        for (accept, gives) in [
            (None, "text/plain;charset=UTF-8"),
            (Some("*/*"), "text/plain;charset=UTF-8"),
            (Some("text/*"), "text/plain;charset=UTF-8"),
            (Some("application/json"), "application/json;charset=UTF-8"),
            (Some("text/html, application/json;q=0.9, */*;q=0.8"), "text/html;charset=UTF-8"),
            (Some("*/*, application/xml;q=0.1"), "application/xml;charset=UTF-8"),
            (Some("text/html;charset=gbk"), "text/html;charset=gbk"),
            (Some("nonsense"), "text/plain;charset=UTF-8"),
            (Some(""), "text/plain;charset=UTF-8"),
        ] {
            let header = accept.map(HeaderValue::from_static);
            assert_eq!(media(header.as_ref()), gives, "{accept:?}");
        }
    }
}

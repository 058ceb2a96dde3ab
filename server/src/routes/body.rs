//! The body of a request.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, EXPECT};
use axum::http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use leafid_core::Code;
use leafid_store::json::shown;
use leafid_store::problem::Problem;

const MOST_BYTES: usize = 16 * 1024;

/// How long the rest of too large a body is read: a client that still sends when the connection is closed
/// loses the answer.
const LINGER: Duration = Duration::from_secs(2);

/// Reads the whole body, so that the connection is ready for the next request whatever the answer is.
pub async fn whole(
    headers: &HeaderMap,
    mut body: Body,
    within: Duration,
) -> Result<Bytes, Problem> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let invalid = |detail: String| Problem::new(Code::RequestInvalid, detail);
    // One that says beforehand that it is too large is not asked for.
    if body.size_hint().lower() <= MOST_BYTES as u64 {
        let read = Limited::new(&mut body, MOST_BYTES).collect();
        match tokio::time::timeout(within, read).await {
            // Trailers are ignored.
            Ok(Ok(whole)) => return Ok(whole.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {}
            Ok(Err(_)) => {
                let detail = "the body is cut short, or its chunks are malformed; send all of it";
                return Err(invalid(detail.to_owned()));
            }
            Err(_) => {
                let detail = format!("the body did not arrive within {within:?}; send it at once");
                return Err(invalid(detail).status(408));
            }
        }
    }
    if !is_held_back(headers) {
        let rest = async { while let Some(Ok(_)) = body.frame().await {} };
        let _ = tokio::time::timeout(LINGER, rest).await;
    }
    let detail = format!("the body is larger than {MOST_BYTES} bytes; send less in one request");
    Err(invalid(detail).status(413))
}

/// Whether the client waits for `100 Continue` before it sends the body.
pub fn is_held_back(headers: &HeaderMap) -> bool {
    headers.contains_key(EXPECT)
}

/// Refuses a content type that is not JSON in UTF-8: text in another charset would be misread.
pub fn must_be_json(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter().map(text);
    if let Some(coding) = codings.find(|coding| !coding.trim().eq_ignore_ascii_case("identity")) {
        let detail = format!(
            "the body is sent with `Content-Encoding: {}`, and this server reads no compressed bodies; \
             send it as it is, without that header",
            shown(coding)
        );
        return Err(Problem::new(Code::RequestInvalid, detail).status(415));
    }
    let mut kinds = headers.get_all(CONTENT_TYPE).iter().map(text);
    let detail = match (kinds.next(), kinds.next()) {
        (Some(kind), None) if is_utf8_json(kind) => return Ok(()),
        (Some(kind), None) => {
            format!("content type `{}` is not accepted; send `application/json`", shown(kind))
        }
        (None, _) => "a body needs a content type; send `application/json`".to_owned(),
        _ => "the request has several content types; send `application/json`".to_owned(),
    };
    Err(Problem::new(Code::RequestInvalid, detail).status(415))
}

fn is_utf8_json(kind: &str) -> bool {
    let mut parts = kind.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    is_json
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

/// The header as text; one that is not ASCII matches nothing.
pub fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_may_name_its_charset_if_it_is_utf_8() {
        for good in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json;Charset=\"UTF-8\"; x=y",
        ] {
            assert!(is_utf8_json(good), "{good}");
        }
        for bad in [
            "",
            "text/plain",
            "application/jsonx",
            "application/json; charset=utf-16",
            "application/json; x=y; charset=latin1",
            "application/json; charset=",
        ] {
            assert!(!is_utf8_json(bad), "{bad}");
        }
    }
}

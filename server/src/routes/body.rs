//! The body of a request, read before anything decides about the request.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use leafid_core::Code;

use crate::problem::Problem;

/// The largest body.
const MOST_BYTES: usize = 16 * 1024;

/// The whole body. A body that was read leaves its connection ready for the next request,
/// whatever the answer is.
///
/// # Errors
/// `REQUEST_INVALID` for a body that is too large (413), cut short or malformed: the rest of it is
/// not read, so the connection cannot go on.
pub async fn whole(headers: &HeaderMap, mut body: Body) -> Result<Bytes, Problem> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let declared = declared.and_then(|length| length.parse().ok()).unwrap_or(0);
    if declared > MOST_BYTES as u64 {
        return Err(too_large());
    }
    let mut whole = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|_| {
            let detail = "the body is cut short, or its chunks are malformed; send all of it";
            Problem::new(Code::RequestInvalid, detail)
        })?;
        // Trailers say nothing here.
        let data = frame.into_data().unwrap_or_default();
        if whole.len() + data.len() > MOST_BYTES {
            return Err(too_large());
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.into())
}

/// Whether the client waits for a first answer before it sends the body.
pub fn is_held_back(headers: &HeaderMap) -> bool {
    headers.contains_key(EXPECT)
}

fn too_large() -> Problem {
    let detail = format!("the body is larger than {MOST_BYTES} bytes; send less in one request");
    Problem::new(Code::RequestInvalid, detail).status(413)
}

//! A line in the log for every request that the server failed.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::log::Rate;
use crate::problem::Problem;

static FAILED: Rate = Rate::new();

/// Logs answers of the statuses from 500 on: one line a second per code. Of the request only its
/// method and path are told: the request id of an acquire is the key of its lease.
pub async fn report(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let status = response.status();
    if let Some(problem) = response.extensions().get::<Problem>()
        && status.is_server_error()
        && let Some(left_out) = FAILED.admit(problem.code)
    {
        let (status, code, detail) = (status.as_u16(), problem.code, &problem.detail);
        // 503 is what waiting cures, and some of it is everyday: all numbers held, a full queue.
        if status == 503 {
            tracing::warn!(%method, path, status, %code, left_out, "request failed: {detail}");
        } else {
            tracing::error!(%method, path, status, %code, left_out, "request failed: {detail}");
        }
    }
    response
}

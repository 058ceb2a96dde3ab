//! The paths of the API.

mod answer;
mod body;
pub(crate) mod decode;
mod fields;
mod guard;
mod health;
mod input;
mod namespaces;
pub mod openapi;
mod report;
mod schema;
mod segments;
mod snowflake;
mod tags;
pub(crate) mod unread;
mod workers;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware;
use axum::routing::{get, post};
use leafid_core::Code;

use crate::json::shown;
use crate::problem::Problem;
use crate::state::App;

/// All paths over a server.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/v1/segments/{tag}/lease", post(segments::lease))
        .route("/v1/segments/{tag}/ids", post(segments::ids))
        .route("/v1/workers/{namespace}/acquire", post(workers::acquire))
        .route("/v1/workers/{namespace}/renew", post(workers::renew))
        .route("/v1/workers/{namespace}/release", post(workers::release))
        .route("/v1/workers/{namespace}/{worker}/release", post(workers::revoke))
        .route("/v1/workers/{namespace}", get(workers::list))
        .route("/v1/snowflake/{namespace}/ids", post(snowflake::ids))
        .route("/v1/decode/{id}", get(decode::decode))
        .route("/v1/tags", get(tags::list))
        .route("/v1/tags/{tag}", get(tags::get).put(tags::put).delete(tags::delete))
        .route("/v1/namespaces", get(namespaces::list))
        .route("/v1/namespaces/{namespace}", get(namespaces::get).put(namespaces::put))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/openapi.json", get(openapi::get))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(guard::guard))
        .layer(middleware::from_fn(report::report))
        .with_state(app)
}

async fn unknown_path(request: Request) -> Problem {
    let detail = format!("no such path: `{}`", shown(request.uri().path()));
    Problem::new(Code::RequestInvalid, detail).status(404)
}

async fn wrong_method(request: Request) -> Problem {
    let (method, path) = (request.method().as_str(), request.uri().path());
    let detail = format!(
        "method `{}` is not allowed for `{}`; the `Allow` header says which are",
        shown(method),
        shown(path)
    );
    Problem::new(Code::RequestInvalid, detail).status(405)
}

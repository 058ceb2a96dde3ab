//! `/metrics`: what a monitoring system reads. `docs/METRICS.md` says what each is for.

mod leases;
mod lines;
mod process;
mod requests;
mod store;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Response};

use crate::app::App;
use crate::routes::health;
use crate::seen::exposition::{Exposition, Format};

/// What is not counted by name. No tag that leafid makes is called so.
const OTHERS: &str = "_other";
/// Figures of at most this many tags are told, of those with the least time left first.
const TAGS: usize = 200;

/// `GET /metrics`. It never fails: what cannot be read now is absent, and `leafid_store_up` says so.
pub async fn get(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let format = Format::asked(accept);
    let mut response = Response::new(Body::from(text(&app, format).await));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn text(app: &App, format: Format) -> String {
    let (ready, tags, spaces) =
        tokio::join!(health::look(app), app.census.tags(&app.store), app.census.spaces(&app.store));
    let mut all = Exposition::new(format);
    all.gauge("leafid_build_info", "Always 1; the labels say what is running.")
        .count(&[("version", env!("CARGO_PKG_VERSION"))], 1);
    store::put(&mut all, &app.store, &ready);
    requests::put(&mut all, &app.requests);
    leases::put(&mut all, &app.store);
    leases::put_single(&mut all, &app.generators);
    if let Ok(tags) = tags {
        lines::put_tags(&mut all, &tags);
    }
    if let Ok(spaces) = spaces {
        lines::put_spaces(&mut all, &spaces);
    }
    process::put(&mut all);
    all.end()
}

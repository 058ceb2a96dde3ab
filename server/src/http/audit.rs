//! Middleware that logs every change that an operator makes.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use leafid_core::{Code, Name};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::store::Page;
use tracing::Instrument;

use crate::access::caller::Caller;
use crate::app::App;
use crate::routes::answer::Refused;
use crate::routes::{namespaces, tags, workers};

/// Logs who changed what, with the row before and after. It goes on if the caller hangs up, as the change
/// does: no change is made without its line.
pub async fn audit(
    State(app): State<Arc<App>>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    // The handler refuses what is invalid.
    let done = async move {
        match params {
            Ok(params) => audited(&app, &params, request, next).await,
            Err(_) => next.run(request).await,
        }
    };
    match tokio::spawn(done.in_current_span()).await {
        Ok(response) => response,
        Err(error) => Refused(Problem::new(Code::Internal, format!("the change failed: {error}")))
            .into_response(),
    }
}

async fn audited(app: &App, params: &RawPathParams, request: Request, next: Next) -> Response {
    let Some((what, before)) = row(app, params).await else { return next.run(request).await };
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let caller = request.extensions().get().map_or_else(String::new, Caller::to_string);
    let (head, body) = next.run(request).await.into_parts();
    // The answer is in memory already, and whole.
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    if head.status.is_success() {
        let verb = match method {
            Method::PUT if before.is_some() => "change",
            Method::PUT => "create",
            Method::DELETE => "delete",
            // The last part of the path, such as `advance`.
            _ => uri.path().rsplit('/').next().unwrap_or_default(),
        };
        let before = before.unwrap_or_else(|| "none".to_owned());
        let after = match body.as_ref() {
            b"{}" => "done".into(),
            row => String::from_utf8_lossy(row),
        };
        tracing::info!(%caller, %before, %after, "audit: {verb} {what}");
    }
    Response::from_parts(head, Body::from(body))
}

/// What a path names and, if it is there, its row as a listing shows it: without the key of a lease.
async fn row(app: &App, params: &RawPathParams) -> Option<(String, Option<String>)> {
    let param = |name| params.iter().find(|(found, _)| *found == name).map(|(_, value)| value);
    let mut writer = Writer::default();
    let (what, found) = if let Some(tag) = param("tag") {
        let tag = Name::tag(tag).ok()?;
        let row = app.store.tag(tag).await.ok();
        (format!("tag `{tag}`"), row.map(|row| tags::put_row(&mut writer, &tag, &row)))
    } else {
        let name = Name::namespace(param("namespace")?).ok()?;
        let space = app.store.namespace(name).await.ok();
        if let Some(worker) = param("worker") {
            let worker: u32 = worker.parse().ok()?;
            let page = Page { after: worker.checked_sub(1), limit: 1 };
            let rows = app.store.workers(name, page).await.unwrap_or_default();
            let row = rows.into_iter().find(|(number, _)| *number == worker);
            let found = space.zip(row).map(|(space, (_, row))| {
                workers::put_row(&mut writer, worker, &row, &space.layout);
            });
            (format!("worker {worker} of namespace `{name}`"), found)
        } else {
            let found = space.map(|row| namespaces::put_row(&mut writer, &name, &row));
            (format!("namespace `{name}`"), found)
        }
    };
    Some((what, found.map(|()| writer.end())))
}

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
    let line = params.ok().and_then(|params| Line::of(&params));
    let done = audited(app, line, request, next).in_current_span();
    match tokio::spawn(done).await {
        Ok(response) => response,
        Err(error) => Refused(Problem::new(Code::Internal, format!("the change failed: {error}")))
            .into_response(),
    }
}

async fn audited(app: Arc<App>, line: Option<Line>, request: Request, next: Next) -> Response {
    let Some(line) = line else { return next.run(request).await };
    let before = line.now(&app).await;
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
        tracing::info!(%caller, %before, %after, "audit: {verb} {line}");
    }
    Response::from_parts(head, Body::from(body))
}

/// The row that is changed.
enum Line {
    Tag(Name),
    Namespace(Name),
    Worker(Name, u32),
}

impl Line {
    fn of(params: &RawPathParams) -> Option<Line> {
        let param = |name| params.iter().find(|(found, _)| *found == name).map(|(_, value)| value);
        if let Some(tag) = param("tag") {
            return Name::tag(tag).ok().map(Line::Tag);
        }
        let space = Name::namespace(param("namespace")?).ok()?;
        match param("worker") {
            Some(worker) => Some(Line::Worker(space, worker.parse().ok()?)),
            None => Some(Line::Namespace(space)),
        }
    }

    /// The row now, as a listing shows it: without the key of a lease.
    async fn now(&self, app: &App) -> Option<String> {
        let mut writer = Writer::default();
        match *self {
            Line::Tag(tag) => tags::put_row(&mut writer, &tag, &app.store.tag(tag).await.ok()?),
            Line::Namespace(name) => {
                namespaces::put_row(&mut writer, &name, &app.store.namespace(name).await.ok()?);
            }
            Line::Worker(name, worker) => {
                let layout = app.store.namespace(name).await.ok()?.layout;
                let page = Page { after: worker.checked_sub(1), limit: 1 };
                let rows = app.store.workers(name, page).await.ok()?;
                let (_, row) = rows.into_iter().find(|(number, _)| *number == worker)?;
                workers::put_row(&mut writer, worker, &row, &layout);
            }
        }
        Some(writer.end())
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Line::Tag(tag) => write!(f, "tag `{tag}`"),
            Line::Namespace(name) => write!(f, "namespace `{name}`"),
            Line::Worker(name, worker) => write!(f, "worker {worker} of namespace `{name}`"),
        }
    }
}

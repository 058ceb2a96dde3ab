//! Middleware that logs every change that an operator makes.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use leafid_core::{Code, Name};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::store::Page;
use tracing::Instrument;

use super::caller::Caller;
use crate::app::App;
use crate::routes::answer::Refused;
use crate::routes::{namespaces, tags, workers};

/// Logs who changed what, with the row before and after. It goes on if the caller hangs up, as the change
/// does: no change is made without its line.
pub async fn audit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let done = audited(app, request, next).in_current_span();
    match tokio::spawn(done).await {
        Ok(response) => response,
        Err(error) => Refused(Problem::new(Code::Internal, format!("the change failed: {error}")))
            .into_response(),
    }
}

async fn audited(app: Arc<App>, request: Request, next: Next) -> Response {
    let (mut head, body) = request.into_parts();
    let what = What::of(&mut head).await;
    let what = match what {
        Ok(what) => what,
        Err(problem) => return Refused(problem).into_response(),
    };
    let before = match &what {
        Some(what) => what.line.now(&app).await,
        None => None,
    };
    let caller = head.extensions.get().map_or_else(String::new, Caller::to_string);
    let (head, body) = next.run(Request::from_parts(head, body)).await.into_parts();
    // The answer is in memory already, and whole.
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    if let Some(what) = what
        && head.status.is_success()
    {
        let verb = what.verb(before.is_some());
        let before = before.unwrap_or_else(|| "none".to_owned());
        let after = match body.as_ref() {
            b"{}" => "done".into(),
            row => String::from_utf8_lossy(row),
        };
        tracing::info!(%caller, %before, %after, "audit: {verb} {}", what.line);
    }
    Response::from_parts(head, Body::from(body))
}

struct What {
    method: Method,
    /// The last part of the path, where it is a verb such as `advance`.
    done: String,
    line: Line,
}

enum Line {
    Tag(Name),
    Namespace(Name),
    Worker(Name, u32),
}

impl What {
    /// Reads it from the path; `None` for an invalid name, which the handler refuses.
    async fn of(head: &mut Parts) -> Result<Option<What>, Problem> {
        let invalid = |detail: String| Problem::new(Code::RequestInvalid, detail);
        let params = RawPathParams::from_request_parts(head, &()).await;
        let params = params.map_err(|error| invalid(error.body_text()))?;
        let done = head.uri.path().rsplit('/').next().unwrap_or_default().to_owned();
        let param = |name| params.iter().find(|(found, _)| *found == name).map(|(_, value)| value);
        let space = || Name::namespace(param("namespace")?).ok();
        let line = match (param("tag"), param("worker")) {
            (Some(tag), _) => Name::tag(tag).ok().map(Line::Tag),
            (None, None) => space().map(Line::Namespace),
            (None, Some(worker)) => {
                let worker = worker.parse().ok();
                space().zip(worker).map(|(space, worker)| Line::Worker(space, worker))
            }
        };
        Ok(line.map(|line| What { method: head.method.clone(), done, line }))
    }

    fn verb(&self, was_there: bool) -> &str {
        match self.method {
            Method::PUT if was_there => "change",
            Method::PUT => "create",
            Method::DELETE => "delete",
            _ => &self.done,
        }
    }
}

impl Line {
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

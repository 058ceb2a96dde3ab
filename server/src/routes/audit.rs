//! Logs every change that an operator makes.

use axum::http::Method;
use leafid_core::Code;
use leafid_store::json::{Writer, shown};
use leafid_store::problem::Problem;
use leafid_store::store::Page;
use tracing::Instrument;

use super::answer::{Json, Refused};
use super::input::Input;
use super::{namespaces, servers, tags, workers};

/// Makes a change, and logs who changed what, with the row before and after. It goes on if the caller hangs
/// up, as the change does: no change is made without its line.
pub async fn audited<F>(input: Input, change: fn(Input) -> F) -> Result<Json, Refused>
where
    F: Future<Output = Result<Json, Refused>> + Send + 'static,
{
    let done = async move {
        // The handler refuses what is invalid.
        let Some((what, before)) = row(&input).await else { return change(input).await };
        let (caller, head) = (input.caller.clone(), input.head.clone());
        let changed = change(input).await?;
        let verb = match head.method {
            Method::PUT if before.is_some() => "change",
            Method::PUT => "create",
            Method::DELETE => "delete",
            // The last part of the path, such as `advance`.
            _ => head.uri.path().rsplit('/').next().unwrap_or_default(),
        };
        let before = before.as_deref().unwrap_or("none");
        let after = if changed.0 == "{}" { "done" } else { &*changed.0 };
        tracing::info!(%caller, %before, %after, "audit: {verb} {what}");
        Ok(changed)
    };
    tokio::spawn(done.in_current_span()).await.unwrap_or_else(|error| {
        Err(Refused(Problem::new(Code::Internal, format!("the change failed: {error}"))))
    })
}

/// The name of the row that a path is about and, if it exists, the row as a listing shows it: without the key of
/// a lease.
async fn row(input: &Input) -> Option<(String, Option<String>)> {
    let (store, mut writer) = (&input.app.store, Writer::default());
    if !input.path("tag").is_empty() {
        let tag = input.tag().ok()?;
        let found = store.tag(tag).await.map(|row| tags::put_row(&mut writer, &tag, &row));
        return Some((format!("tag `{tag}`"), found.ok().map(|()| writer.end())));
    }
    let server = input.path("server");
    if !server.is_empty() {
        let all = store.servers().await.unwrap_or_default();
        let found = all.iter().find(|found| servers::is_called(found, server));
        let found = found.map(|found| {
            servers::put_row(&mut writer, found, &all, None);
            writer.end()
        });
        return Some((format!("server `{}`", shown(server)), found));
    }
    let name = input.namespace().ok()?;
    let space = store.namespace(name).await.ok();
    if input.path("worker").is_empty() {
        let found = space.map(|row| namespaces::put_row(&mut writer, &name, &row));
        return Some((format!("namespace `{name}`"), found.map(|()| writer.end())));
    }
    let worker = input.worker().ok()?;
    let page = Page { after: worker.checked_sub(1), limit: 1 };
    let rows = store.workers(name, page).await.unwrap_or_default();
    let row = rows.into_iter().find(|(number, _)| *number == worker);
    let found = space.zip(row).map(|(space, (_, row))| {
        workers::put_row(&mut writer, worker, &row, &space.layout);
        writer.end()
    });
    Some((format!("worker {worker} of namespace `{name}`"), found))
}

//! Windows on a worker's time, and the holders of worker numbers.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::Uri;
use leafid_core::registry::WorkerRow;
use leafid_core::{AcquireAsk, Code, Layout, Release, RenewAsk};
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::json::Writer;
use leafid_store::store::Aside;
use leafid_wire::{FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, NamespacePath, WorkerPath, page, worker};
use crate::access::caller::Caller;
use crate::app::App;

pub async fn acquire(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    NamespacePath(namespace): NamespacePath,
    Input(mut input): Input,
) -> Result<Json, Refused> {
    input.put_path("namespace", namespace.as_str())?;
    let holder = caller.clone();
    let (ask, asking) = caller.acquire(input.all(AcquireAsk::get)?, SystemClock.wall())?;
    let acquired = async move {
        let grant = app.store.acquire(ask).await?;
        holder.holds(namespace, ask.request, &grant);
        drop(asking);
        Ok(grant)
    };
    let grant = caller.counted(acquired).await?;
    Ok(Json::fields(&grant))
}

pub async fn renew(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    NamespacePath(namespace): NamespacePath,
    Input(mut input): Input,
) -> Result<Json, Refused> {
    input.put_path("namespace", namespace.as_str())?;
    let holder = caller.clone();
    let ask = caller.renew(input.all(RenewAsk::get)?);
    let renewed = async move {
        let grant = app.store.renew(ask).await?;
        holder.holds(namespace, ask.key, &grant);
        Ok(grant)
    };
    let grant = caller.counted(renewed).await?;
    Ok(Json::fields(&grant))
}

pub async fn release(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    NamespacePath(namespace): NamespacePath,
    Input(mut input): Input,
) -> Result<Json, Refused> {
    input.put_path("namespace", namespace.as_str())?;
    let release = input.all(Release::get)?;
    app.store.release(release).await?;
    caller.lets_go(&release);
    Ok(Json::empty())
}

/// `POST /v1/workers/{ns}/{n}/release`: an operator's release.
pub async fn revoke(
    State(app): State<Arc<App>>,
    NamespacePath(namespace): NamespacePath,
    WorkerPath(worker): WorkerPath,
    Input(input): Input,
) -> Result<Json, Refused> {
    input.all(|_| Ok(()))?;
    app.store.revoke(namespace, worker).await?;
    Ok(Json::empty())
}

/// `PUT /v1/workers/{ns}/{n}`: sets aside a number that is, or was, used outside of leafid.
pub async fn set_aside(
    State(app): State<Arc<App>>,
    NamespacePath(namespace): NamespacePath,
    WorkerPath(worker): WorkerPath,
    Input(input): Input,
) -> Result<Json, Refused> {
    let aside = input.all(Aside::get)?;
    let layout = app.store.namespace(namespace).await?.layout;
    let row = app.store.set_aside(namespace, worker, aside).await?;
    Ok(Json::write(|writer| put_row(writer, worker, &row, &layout)))
}

/// `GET /v1/workers/{ns}`: the numbers that were ever granted. It never shows a key.
pub async fn list(
    State(app): State<Arc<App>>,
    NamespacePath(namespace): NamespacePath,
    uri: Uri,
) -> Result<Json, Refused> {
    let page = page(&uri, |after| worker(after, Code::RequestInvalid))?;
    let layout = app.store.namespace(namespace).await?.layout;
    let now = app.store.now().await?;
    let rows = app.store.workers(namespace, page).await?;
    Ok(Json::write(|writer| {
        writer.millis("now_ms", now.get());
        writer.array("workers", rows, |writer, (worker, row)| {
            put_row(writer, worker, &row, &layout);
        });
    }))
}

/// A row of the list: whether the number is held, but never its key.
pub fn put_row(writer: &mut Writer, worker: u32, row: &WorkerRow, layout: &Layout) {
    writer.number("worker", worker.into());
    writer.flag("held", row.key.is_some());
    WorkerRow { key: None, ..*row }.put(writer);
    writer.millis("reserved_until_ms", layout.time(row.reserved_until).get());
}

//! Windows on a worker's time, and the holders of worker numbers.

use leafid_core::registry::WorkerRow;
use leafid_core::{AcquireAsk, Code, Layout, Release, RenewAsk};
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::json::Writer;
use leafid_store::store::Aside;
use leafid_wire::{FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, worker};

pub async fn acquire(input: Input) -> Result<Json, Refused> {
    let namespace = input.namespace()?;
    let ask: AcquireAsk = input.ask("namespace", namespace)?;
    let Input { app, caller, .. } = input;
    let (ask, asking) = caller.acquire(ask, SystemClock.wall())?;
    let holder = caller.clone();
    let acquired = async move {
        let grant = app.store.acquire(ask).await?;
        holder.holds(namespace, ask.request, &grant);
        drop(asking);
        Ok(grant)
    };
    Ok(Json::fields(&caller.counted(acquired).await?))
}

pub async fn renew(input: Input) -> Result<Json, Refused> {
    let namespace = input.namespace()?;
    let ask: RenewAsk = input.ask("namespace", namespace)?;
    let Input { app, caller, .. } = input;
    let (ask, holder) = (caller.renew(ask), caller.clone());
    let renewed = async move {
        let grant = app.store.renew(ask).await?;
        holder.holds(namespace, ask.key, &grant);
        Ok(grant)
    };
    Ok(Json::fields(&caller.counted(renewed).await?))
}

pub async fn release(input: Input) -> Result<Json, Refused> {
    let release: Release = input.ask("namespace", input.namespace()?)?;
    input.app.store.release(release).await?;
    input.caller.lets_go(&release);
    Ok(Json::empty())
}

/// `POST /v1/workers/{ns}/{n}/release`: an operator's release.
pub async fn revoke(input: Input) -> Result<Json, Refused> {
    let (namespace, worker) = (input.namespace()?, input.worker()?);
    input.all(|_| Ok(()))?;
    input.app.store.revoke(namespace, worker).await?;
    Ok(Json::empty())
}

/// `PUT /v1/workers/{ns}/{n}`: sets aside a number that is, or was, used outside of leafid.
pub async fn set_aside(input: Input) -> Result<Json, Refused> {
    let (namespace, worker) = (input.namespace()?, input.worker()?);
    let (aside, store) = (input.all(Aside::get)?, &input.app.store);
    let layout = store.namespace(namespace).await?.layout;
    let row = store.set_aside(namespace, worker, aside).await?;
    Ok(Json::write(|writer| put_row(writer, worker, &row, &layout)))
}

/// `GET /v1/workers/{ns}`: the numbers that were ever granted. It never shows a key.
pub async fn list(input: Input) -> Result<Json, Refused> {
    let (namespace, store) = (input.namespace()?, &input.app.store);
    let page = input.page(|after| worker(after, Code::RequestInvalid))?;
    let layout = store.namespace(namespace).await?.layout;
    let now = store.now().await?;
    let rows = store.workers(namespace, page).await?;
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

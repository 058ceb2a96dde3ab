//! Namespaces: layouts, and ranges of worker numbers.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use leafid_core::Name;
use leafid_core::registry::Namespace;
use leafid_store::store::NamespaceChange;
use leafid_wire::{FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, NamespacePath, namespace, only_create, page};
use super::workers::put_row as put_worker;
use crate::app::App;
use crate::seen::numbers::Numbers;

pub async fn list(State(app): State<Arc<App>>, uri: Uri) -> Result<Json, Refused> {
    let rows = app.store.namespaces(page(&uri, namespace)?).await?;
    Ok(Json::write(|writer| {
        writer.array("namespaces", rows, |writer, (name, row)| put_row(writer, &name, &row));
    }))
}

pub async fn get(
    State(app): State<Arc<App>>,
    NamespacePath(name): NamespacePath,
) -> Result<Json, Refused> {
    let row = app.store.namespace(name).await?;
    Ok(Json::write(|writer| put_row(writer, &name, &row)))
}

/// `PUT /v1/namespaces/{ns}`: creates or changes; with `If-None-Match: *` it only creates.
pub async fn put(
    State(app): State<Arc<App>>,
    NamespacePath(name): NamespacePath,
    headers: HeaderMap,
    Input(input): Input,
) -> Result<Json, Refused> {
    let only_create = only_create(&headers)?;
    let change = NamespaceChange { only_create, ..input.all(NamespaceChange::get)? };
    let row = app.store.put_namespace(name, change).await?;
    Ok(Json::write(|writer| put_row(writer, &name, &row)))
}

pub fn put_row(writer: &mut impl FieldWriter, name: &Name, row: &Namespace) {
    writer.text("namespace", name.as_str());
    row.put(writer);
    writer.millis("last_ms", row.layout.last().get());
}

/// `GET /v1/namespaces/{ns}/numbers`: the state of each worker number as a letter, and the holders.
pub async fn numbers(
    State(app): State<Arc<App>>,
    NamespacePath(name): NamespacePath,
) -> Result<Json, Refused> {
    let numbers = app.census.space(&app.store, name).await?;
    let Namespace { workers, layout, .. } = numbers.namespace;
    Ok(Json::write(|writer| {
        writer.text("namespace", name.as_str());
        writer.millis("now_ms", numbers.now.get());
        writer.number("first", workers.start);
        writer.text("states", &numbers.letters());
        writer.nested("counts", |writer| put_counts(writer, &numbers));
        writer.array("holders", numbers.holders.iter(), |writer, (worker, held)| {
            put_worker(writer, *worker, held, &layout);
        });
        writer.flag("more_holders", numbers.more_holders());
    }))
}

pub fn put_counts(writer: &mut impl FieldWriter, numbers: &Numbers) {
    numbers.each().for_each(|(state, count)| writer.number(state, count));
}

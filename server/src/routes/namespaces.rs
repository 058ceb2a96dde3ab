//! Namespaces: layouts, and ranges of worker numbers.

use leafid_core::Name;
use leafid_core::registry::Namespace;
use leafid_store::store::NamespaceChange;
use leafid_wire::{FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, namespace};
use super::workers::put_row as put_worker;
use crate::seen::numbers::Numbers;

pub async fn list(input: Input) -> Result<Json, Refused> {
    let rows = input.app.store.namespaces(input.page(namespace)?).await?;
    Ok(Json::write(|writer| {
        writer.array("namespaces", rows, |writer, (name, row)| put_row(writer, &name, &row));
    }))
}

pub async fn get(input: Input) -> Result<Json, Refused> {
    let name = input.namespace()?;
    let row = input.app.store.namespace(name).await?;
    Ok(Json::write(|writer| put_row(writer, &name, &row)))
}

/// `PUT /v1/namespaces/{ns}`: creates or changes; with `If-None-Match: *` it only creates.
pub async fn put(input: Input) -> Result<Json, Refused> {
    let (name, only_create) = (input.namespace()?, input.only_create()?);
    let change = NamespaceChange { only_create, ..input.all(NamespaceChange::get)? };
    let row = input.app.store.put_namespace(name, change).await?;
    Ok(Json::write(|writer| put_row(writer, &name, &row)))
}

pub fn put_row(writer: &mut impl FieldWriter, name: &Name, row: &Namespace) {
    writer.text("namespace", name.as_str());
    row.put(writer);
    writer.millis("last_ms", row.layout.last().get());
}

/// `GET /v1/namespaces/{ns}/numbers`: how many worker numbers are in each state, and the holders.
pub async fn numbers(input: Input) -> Result<Json, Refused> {
    let name = input.namespace()?;
    let numbers = input.app.census.space(&input.app.store, name).await?;
    let layout = numbers.namespace.layout;
    Ok(Json::write(|writer| {
        writer.text("namespace", name.as_str());
        writer.millis("now_ms", numbers.now.get());
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

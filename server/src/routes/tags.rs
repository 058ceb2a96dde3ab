//! Tags: create, change, advance, delete, list.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};
use leafid_store::store::TagChange;
use leafid_wire::{FieldReader, FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, TagPath, only_change, only_create, page, tag};
use crate::app::App;

pub async fn list(State(app): State<Arc<App>>, uri: Uri) -> Result<Json, Refused> {
    let page = page(&uri, tag)?;
    let rows = app.store.tags(page).await?;
    Ok(Json::write(|writer| {
        writer.array("tags", rows, |writer, (tag, row)| put_row(writer, &tag, &row));
    }))
}

pub async fn get(State(app): State<Arc<App>>, TagPath(tag): TagPath) -> Result<Json, Refused> {
    let row = app.store.tag(tag).await?;
    Ok(Json::write(|writer| put_row(writer, &tag, &row)))
}

/// `PUT /v1/tags/{tag}`: creates or changes; with `If-None-Match: *` it only creates, with
/// `If-Match: *` it only changes.
pub async fn put(
    State(app): State<Arc<App>>,
    TagPath(tag): TagPath,
    headers: HeaderMap,
    Input(input): Input,
) -> Result<Json, Refused> {
    let (only_create, only_change) = (only_create(&headers)?, only_change(&headers)?);
    let change = TagChange { only_create, only_change, ..input.all(TagChange::get)? };
    let row = app.store.put_tag(tag, change).await?;
    Ok(Json::write(|writer| put_row(writer, &tag, &row)))
}

/// `POST /v1/tags/{tag}/advance`: moves the position up. Numbers of the tag that this server's own
/// generators have in hand lie below, and are dropped.
pub async fn advance(
    State(app): State<Arc<App>>,
    TagPath(tag): TagPath,
    Input(input): Input,
) -> Result<Json, Refused> {
    let to = input.all(|from| from.big("to")?.ok_or(Code::RequestInvalid.into()))?;
    let row = app.store.advance_tag(tag, to).await?;
    app.generators.drop_numbers(&tag);
    Ok(Json::write(|writer| put_row(writer, &tag, &row)))
}

pub async fn delete(State(app): State<Arc<App>>, TagPath(tag): TagPath) -> Result<Json, Refused> {
    app.store.delete_tag(tag).await?;
    app.generators.drop_numbers(&tag);
    Ok(Json::empty())
}

pub fn put_row(writer: &mut impl FieldWriter, tag: &Name, row: &TagRow) {
    writer.text("tag", tag.as_str());
    row.put(writer);
    writer.big("remaining", row.remaining());
}

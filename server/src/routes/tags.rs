//! Tags: create, change, advance, delete, list.

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};
use leafid_store::store::TagChange;
use leafid_wire::{FieldReader, FieldWriter, Fields};

use super::answer::{Json, Refused};
use super::input::{Input, tag};

pub async fn list(input: Input) -> Result<Json, Refused> {
    let rows = input.app.store.tags(input.page(tag)?).await?;
    Ok(Json::write(|writer| {
        writer.array("tags", rows, |writer, (tag, row)| put_row(writer, &tag, &row));
    }))
}

pub async fn get(input: Input) -> Result<Json, Refused> {
    let tag = input.tag()?;
    let row = input.app.store.tag(tag).await?;
    Ok(Json::write(|writer| put_row(writer, &tag, &row)))
}

/// `PUT /v1/tags/{tag}`: creates or changes; with `If-None-Match: *` it only creates, with
/// `If-Match: *` it only changes.
pub async fn put(input: Input) -> Result<Json, Refused> {
    let tag = input.tag()?;
    let (only_create, only_change) = (input.only_create()?, input.only_change()?);
    let change = TagChange { only_create, only_change, ..input.all(TagChange::get)? };
    let row = input.app.store.put_tag(tag, change).await?;
    Ok(Json::write(|writer| put_row(writer, &tag, &row)))
}

/// `POST /v1/tags/{tag}/advance`: moves the position up. Numbers of the tag that this server's own
/// generators have in hand lie below, and are dropped.
pub async fn advance(input: Input) -> Result<Json, Refused> {
    let tag = input.tag()?;
    let to = input.all(|from| from.big("to")?.ok_or(Code::RequestInvalid.into()))?;
    let row = input.app.store.advance_tag(tag, to).await?;
    input.app.generators.drop_numbers(&tag);
    Ok(Json::write(|writer| put_row(writer, &tag, &row)))
}

pub async fn delete(input: Input) -> Result<Json, Refused> {
    let tag = input.tag()?;
    input.app.store.delete_tag(tag).await?;
    input.app.generators.drop_numbers(&tag);
    Ok(Json::empty())
}

pub fn put_row(writer: &mut impl FieldWriter, tag: &Name, row: &TagRow) {
    writer.text("tag", tag.as_str());
    row.put(writer);
    writer.big("remaining", row.remaining());
}

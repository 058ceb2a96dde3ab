//! Patterns: how tags are made on their first lease.

use leafid_store::store::Store;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use leafid_core::FieldWriter;
use leafid_store::registry::patterns::unknown;
use leafid_store::store::pattern::{Pattern, PatternChange, PatternRow};

use super::answer::{Json, Refused};
use super::input::{Input, PatternPath, only_change, only_create};
use crate::app::App;

/// `GET /v1/patterns`
pub async fn list(State(app): State<Arc<App>>) -> Result<Json, Refused> {
    let (patterns, generation) = app.store.patterns().await?;
    let rows: Vec<_> = patterns.live().collect();
    Ok(Json::write(|writer| {
        writer.array("patterns", rows, |writer, (pattern, row)| {
            put_row(writer, &pattern, &row, generation);
        });
    }))
}

/// `GET /v1/patterns/{pattern}`
pub async fn get(
    State(app): State<Arc<App>>,
    PatternPath(pattern): PatternPath,
) -> Result<Json, Refused> {
    let (patterns, generation) = app.store.patterns().await?;
    let row = patterns.get(&pattern).filter(|row| !row.deleted);
    let row = row.ok_or_else(|| unknown(&pattern))?;
    Ok(Json::write(|writer| put_row(writer, &pattern, &row, generation)))
}

/// `PUT /v1/patterns/{pattern}`: creates or changes; with `If-None-Match: *` it only creates, with
/// `If-Match: *` it only changes.
pub async fn put(
    State(app): State<Arc<App>>,
    PatternPath(pattern): PatternPath,
    headers: HeaderMap,
    Input(input): Input,
) -> Result<Json, Refused> {
    let (only_create, only_change) = (only_create(&headers)?, only_change(&headers)?);
    let change = PatternChange { only_create, only_change, ..input.all(PatternChange::get)? };
    let (row, generation) = app.store.put_pattern(pattern, change).await?;
    Ok(Json::write(|writer| put_row(writer, &pattern, &row, generation)))
}

/// `DELETE /v1/patterns/{pattern}`
pub async fn delete(
    State(app): State<Arc<App>>,
    PatternPath(pattern): PatternPath,
) -> Result<Json, Refused> {
    app.store.delete_pattern(pattern).await?;
    Ok(Json::empty())
}

/// A row of the list.
pub fn put_row(
    writer: &mut impl FieldWriter,
    pattern: &Pattern,
    row: &PatternRow,
    generation: u64,
) {
    writer.text("pattern", &pattern.to_string());
    row.put(writer);
    writer.flag("suspended", row.generation != generation);
}

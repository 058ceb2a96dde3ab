//! Numbers of a tag: leased in ranges, or handed out one by one.

use std::sync::Arc;

use axum::extract::State;
use leafid_core::{Fields, SegmentAsk};

use super::answer::Json;
use super::input::{Input, TagPath, count};
use crate::app::App;
use crate::problem::Problem;

/// `POST /v1/segments/{tag}/lease`
pub async fn lease(
    State(app): State<Arc<App>>,
    TagPath(tag): TagPath,
    Input(mut input): Input,
) -> Result<Json, Problem> {
    input.put_path("tag", tag.as_str())?;
    let ask = input.all(SegmentAsk::get)?;
    app.stores.tags().lease_segment(ask).await.map(|grant| Json::fields(&grant))
}

/// `POST /v1/segments/{tag}/ids`
pub async fn ids(
    State(app): State<Arc<App>>,
    TagPath(tag): TagPath,
    Input(input): Input,
) -> Result<Json, Problem> {
    let ids = app.generators.numbers(tag, count(input)?).await?;
    Ok(Json::write(|writer| writer.ids("ids", &ids)))
}

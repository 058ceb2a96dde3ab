//! Snowflake IDs, handed out one by one.

use std::sync::Arc;

use axum::extract::State;

use super::answer::Json;
use super::input::{Input, NamespacePath, count};
use crate::app::App;
use crate::problem::Problem;

/// `POST /v1/snowflake/{namespace}/ids`
pub async fn ids(
    State(app): State<Arc<App>>,
    NamespacePath(namespace): NamespacePath,
    Input(input): Input,
) -> Result<Json, Problem> {
    let ids = app.generators.stamps(namespace, count(input)?).await?;
    Ok(Json::write(|writer| writer.ids("ids", &ids)))
}

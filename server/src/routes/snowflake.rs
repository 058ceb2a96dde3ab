//! Snowflake IDs, handed out one by one.

use std::sync::Arc;

use axum::extract::State;

use super::answer::{Json, Refused};
use super::input::{Input, NamespacePath, count};
use crate::app::App;
use crate::http::caller::Caller;

/// `POST /v1/snowflake/{namespace}/ids`
pub async fn ids(
    State(app): State<Arc<App>>,
    caller: Caller,
    NamespacePath(namespace): NamespacePath,
    Input(input): Input,
) -> Result<Json, Refused> {
    let count = count(input)?;
    let charge = caller.allowance().ids(count)?;
    let ids = app.generators.stamps(namespace, count).await?;
    charge.had(count);
    Ok(Json::write(|writer| writer.ids("ids", &ids)))
}

//! Whether the process lives, and whether it can serve.

use std::sync::Arc;

use axum::extract::State;
use leafid_core::Put;

use super::answer::Json;
use crate::problem::Problem;
use crate::state::App;

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Json {
    Json::write(|writer| writer.text("status", "ok"))
}

/// `GET /readyz`: the store answers, too.
pub async fn readyz(State(app): State<Arc<App>>) -> Result<Json, Problem> {
    let now = app.store.now().await?;
    Ok(Json::write(|writer| {
        writer.text("status", "ok");
        writer.token("store", app.store.id());
        writer.millis("now_ms", now.get());
    }))
}

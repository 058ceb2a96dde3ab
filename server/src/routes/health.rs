//! Whether the process lives, and whether it can serve.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use leafid_core::{FieldWriter, StoreTime, Token};

use super::answer::Json;
use crate::app::App;
use crate::json::Writer;
use crate::problem::Problem;
use crate::store::alarms::{Ends, Line};

/// Lines that went back are looked at for so long.
const LOOKING: Duration = Duration::from_millis(500);

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Json {
    Json::write(put_alive)
}

/// A process that lives.
pub fn put_alive(writer: &mut Writer) {
    writer.text("status", "ok");
}

/// `GET /readyz`: leases can be had. Where none can, 503 with the reason; where some line went back
/// and still stands below what its holders have, the answer is `degraded` and names it.
pub async fn readyz(State(app): State<Arc<App>>) -> Result<Json, Problem> {
    let (now, lines) = look(&app).await.map_err(|problem| problem.status(503))?;
    Ok(Json::write(|writer| put_ready(writer, app.store.id(), now, lines)))
}

/// A store that can grant, and the lines of it that went back.
pub fn put_ready(writer: &mut Writer, store: Token, now: StoreTime, lines: Vec<(Line, Ends)>) {
    writer.text("status", if lines.is_empty() { "ok" } else { "degraded" });
    writer.token("store", store);
    writer.millis("now_ms", now.get());
    writer.array("went_back", lines, |writer, (line, ends)| put_line(writer, &line, ends));
}

async fn look(app: &App) -> Result<(StoreTime, Vec<(Line, Ends)>), Problem> {
    let now = app.store.ready().await?;
    let standing = tokio::time::timeout(LOOKING, app.alarms.standing(app.store.as_ref())).await;
    // Rows that cannot be read now, or are locked, say nothing of the others.
    let lines = standing.ok().and_then(Result::ok).unwrap_or_else(|| app.alarms.known());
    Ok((now, lines))
}

/// A line that went back: what a holder has, and what the store knows.
fn put_line(writer: &mut impl FieldWriter, line: &Line, ends: Ends) {
    let stands_at = match line {
        Line::Tag(tag) => {
            writer.text("tag", tag.as_str());
            "max_id"
        }
        Line::Worker(namespace, worker) => {
            writer.text("namespace", namespace.as_str());
            writer.number("worker", u64::from(*worker));
            "reserved_until"
        }
    };
    writer.big("have_until", ends.have_until);
    writer.big(stands_at, ends.stands_at);
}

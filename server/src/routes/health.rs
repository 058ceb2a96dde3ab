//! Liveness and readiness.

use std::time::Duration;

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name, StoreTime, Token};
use leafid_store::fence::Sight;
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;
use leafid_wire::FieldWriter;

use super::answer::{Json, Refused};
use super::input::Input;
use crate::app::App;
use crate::http::authorize::is_known;

/// How long the look for stopped tags may take.
const LOOKING: Duration = Duration::from_millis(500);

static WITHHELD: Rate = Rate::new();

pub async fn healthz() -> Json {
    Json::write(|writer| writer.text("status", "ok"))
}

/// A store that can grant, and its stopped tags.
#[derive(Clone, Debug)]
pub struct Ready {
    pub store: Token,
    pub now: StoreTime,
    pub generation: u64,
    /// The last fence's floor: no window begins before.
    pub floor: StoreTime,
    pub journal: Option<Sight>,
    pub stopped: Vec<(Name, TagRow)>,
    /// How many servers with a journal the store has.
    pub servers: usize,
    /// The silent ones that this one waits for.
    pub waits_for: Vec<(String, Token)>,
}

/// `GET /readyz`: whether leases are granted; if not, 503 with the reason. If a tag is stopped, the
/// answer is `degraded` and names it. Where tokens are required, a probe without one gets the status
/// alone.
pub async fn readyz(input: Input) -> Result<Json, Refused> {
    match (look(&input.app).await, is_known(&input.head)) {
        (Ok(ready), true) => Ok(Json::write(|writer| put_ready(writer, &ready))),
        (Ok(ready), false) => Ok(Json::write(|writer| put_status(writer, &ready))),
        (Err(problem), true) => Err(Refused(problem.status(503))),
        (Err(problem), false) => Err(Refused(withheld(&problem).status(503))),
    }
}

/// The answer without the reason, which is logged.
fn withheld(reason: &Problem) -> Problem {
    if let Some(left_out) = WITHHELD.admit(reason.code) {
        tracing::warn!(code = %reason.code, left_out, "not ready: {}", reason.detail);
    }
    let detail =
        "no leases are granted; the reason is in the server's log, and given to a valid token";
    Problem::new(reason.code, detail)
}

pub fn put_ready(writer: &mut Writer, ready: &Ready) {
    put_status(writer, ready);
    writer.token("store", ready.store);
    writer.millis("now_ms", ready.now.get());
    writer.number("generation", ready.generation);
    if ready.floor > ready.now {
        writer.millis("fenced_until_ms", ready.floor.get());
    }
    put_journal(writer, ready.journal.as_ref());
    put_servers(writer, ready.servers, &ready.waits_for);
    writer.array("went_back", ready.stopped.iter().copied(), put_stopped);
}

fn put_status(writer: &mut Writer, ready: &Ready) {
    writer.text("status", if ready.stopped.is_empty() { "ok" } else { "degraded" });
}

/// The journal's state: whether it is kept, since when, and where.
pub fn put_journal(writer: &mut Writer, journal: Option<&Sight>) {
    let Some(journal) = journal else { return writer.text("journal", "none") };
    writer.text("journal", if journal.is_written() { "written" } else { "failing" });
    writer.millis("journal_since_ms", journal.since.get());
    writer.flag("journal_apart", journal.apart);
}

/// The servers of the store, as this one sees them.
pub fn put_servers(writer: &mut Writer, members: usize, waits_for: &[(String, Token)]) {
    writer.number("servers", members as u64);
    writer.array("waits_for", waits_for.iter(), |writer, (name, id)| {
        writer.text("name", name);
        writer.token("id", *id);
    });
}

pub fn state(found: &Result<Ready, Problem>) -> &'static str {
    match found {
        Ok(ready) if ready.stopped.is_empty() => "ok",
        Ok(_) => "degraded",
        Err(problem) if problem.code == Code::StoreRefused => "refused",
        Err(_) => "unavailable",
    }
}

/// Looks whether the store can grant, and which tags are stopped.
pub async fn look(app: &App) -> Result<Ready, Problem> {
    let store = &app.store;
    let tags = tokio::time::timeout(LOOKING, app.census.tags(store));
    let (tags, ready) = tokio::join!(tags, store.ready());
    let now = ready?;
    // If they cannot be read, the store's state says why.
    let tags = tags.ok().and_then(Result::ok).unwrap_or_default();
    let register = store.register();
    let stopped = tags.tags.iter().filter(|sight| sight.row.is_stopped());
    Ok(Ready {
        store: store.id(),
        now,
        generation: store.generation(),
        floor: store.floor(),
        journal: store.inside().and_then(|inside| inside.journal),
        stopped: stopped.map(|sight| (sight.tag, sight.row)).collect(),
        servers: register.members,
        waits_for: register.waits_for,
    })
}

pub fn put_stopped(writer: &mut impl FieldWriter, (tag, row): (Name, TagRow)) {
    writer.text("tag", tag.as_str());
    writer.big("max_id", row.max_id);
    writer.big("claimed_until", row.claimed_until.unwrap_or(0));
}

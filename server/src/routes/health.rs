//! Whether the process lives, and whether it can serve.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use futures_util::future::join_all;
use leafid_core::registry::TagRow;
use leafid_core::{Code, FieldWriter, Name, StoreTime, Token};
use leafid_store::json::Writer;
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;
use leafid_store::store::parted::Kept;
use leafid_store::store::watched::Watched;
use leafid_store::store::{JournalSight, Store};

use super::answer::{Json, Refused};
use crate::app::App;
use crate::http::authorize::Known;

/// How long tags that are stopped are looked for.
const LOOKING: Duration = Duration::from_millis(500);

static WITHHELD: Rate = Rate::new();

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Json {
    Json::write(put_alive)
}

/// A process that lives.
pub fn put_alive(writer: &mut Writer) {
    writer.text("status", "ok");
}

/// A store that can grant, and the tags of it that are stopped.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its id.
    pub store: Token,
    /// Its time.
    pub now: StoreTime,
    /// How often it was fenced, as far as is known.
    pub generation: u64,
    /// Before when no window begins, by its last fence.
    pub floor: StoreTime,
    /// Its journal, where one is kept.
    pub journal: Option<JournalSight>,
    /// The tags of which a holder has shown more than the store knows.
    pub stopped: Vec<(Name, TagRow)>,
}

/// What a store keeps, where there are two, and whether it can grant.
pub type Seen = (Option<Kept>, Result<Ready, Problem>);

/// `GET /readyz`: leases can be had. Where none can, 503 with the reason. Where a tag is stopped,
/// or one of two stores grants nothing, the answer is `degraded` and names it. Probes, which have no
/// token, get the status alone where one is wanted.
pub async fn readyz(State(app): State<Arc<App>>, known: Known) -> Result<Json, Refused> {
    let seen = look(&app).await;
    match (seen.iter().any(|(_, found)| found.is_ok()), known) {
        (true, Known(true)) => Ok(Json::write(|writer| put_ready(writer, &seen))),
        (true, Known(false)) => Ok(Json::write(|writer| put_status(writer, &seen))),
        (false, Known(true)) => Err(Refused(none(seen).status(503))),
        (false, Known(false)) => Err(Refused(withheld(&none(seen)).status(503))),
    }
}

/// The answer without the reason, which goes to the log.
fn withheld(reason: &Problem) -> Problem {
    if let Some(left_out) = WITHHELD.admit(reason.code) {
        tracing::warn!(code = %reason.code, left_out, "not ready: {}", reason.detail);
    }
    let detail =
        "no leases are granted; the reason is in the server's log, and given to a valid token";
    Problem::new(reason.code, detail)
}

/// Stores of which one can grant at least.
pub fn put_ready(writer: &mut Writer, seen: &[Seen]) {
    put_status(writer, seen);
    for (kept, found) in seen {
        match (kept, found) {
            (None, Ok(ready)) => put_store(writer, ready),
            (None, Err(_)) => {}
            (Some(kept), found) => writer.nested(kept.name(), |writer| put_part(writer, found)),
        }
    }
    let found = seen.iter().filter_map(|(_, found)| found.as_ref().ok());
    let stopped: Vec<_> = found.flat_map(|ready| ready.stopped.iter().copied()).collect();
    writer.array("went_back", stopped, put_stopped);
}

fn put_status(writer: &mut Writer, seen: &[Seen]) {
    let sound = |found: &Result<Ready, Problem>| found.as_ref().is_ok_and(|r| r.stopped.is_empty());
    let all_sound = seen.iter().all(|(_, found)| sound(found));
    writer.text("status", if all_sound { "ok" } else { "degraded" });
}

/// One of two stores.
fn put_part(writer: &mut Writer, found: &Result<Ready, Problem>) {
    match found {
        Ok(ready) => {
            writer.text("status", "ok");
            put_store(writer, ready);
        }
        Err(problem) => {
            writer.text("status", "unavailable");
            writer.text("code", problem.code.as_str());
            writer.text("detail", &problem.detail);
        }
    }
}

fn put_store(writer: &mut Writer, ready: &Ready) {
    writer.token("store", ready.store);
    writer.millis("now_ms", ready.now.get());
    writer.number("generation", ready.generation);
    if ready.floor > ready.now {
        writer.millis("fenced_until_ms", ready.floor.get());
    }
    put_journal(writer, ready.journal);
}

/// Whether a journal is kept, since when, and where.
pub fn put_journal(writer: &mut Writer, journal: Option<JournalSight>) {
    let Some(JournalSight { written, since, apart }) = journal else {
        return writer.text("journal", "none");
    };
    writer.text("journal", if written { "written" } else { "failing" });
    writer.millis("journal_since_ms", since.get());
    writer.flag("journal_apart", apart);
}

/// Why no store grants anything.
fn none(seen: Vec<Seen>) -> Problem {
    let problems = seen.into_iter().filter_map(|(kept, found)| Some((kept, found.err()?)));
    let told = problems.map(|(kept, problem)| match kept {
        Some(kept) => Problem { detail: format!("{}: {problem}", kept.words()), ..problem },
        None => problem,
    });
    let both = told
        .reduce(|all, more| Problem { detail: format!("{}; {}", all.detail, more.detail), ..all });
    both.unwrap_or_else(|| Problem::unavailable("the server has no store open"))
}

/// A store's state in one word.
pub fn state(found: &Result<Ready, Problem>) -> &'static str {
    match found {
        Ok(ready) if ready.stopped.is_empty() => "ok",
        Ok(_) => "degraded",
        Err(problem) if problem.code == Code::StoreRefused => "refused",
        Err(_) => "unavailable",
    }
}

/// Whether the stores can grant, and which tags are stopped.
pub async fn look(app: &App) -> Vec<Seen> {
    let tags = tokio::time::timeout(LOOKING, app.census.tags(&app.stores));
    let looks = app.stores.each().map(|(kept, store)| async move { (kept, ready(store).await) });
    let (tags, mut seen) = tokio::join!(tags, join_all(looks));
    // Where they cannot be read now, the store's own state says why.
    let tags = tags.ok().and_then(Result::ok).unwrap_or_default();
    // The store of the tags is the first.
    if let Some((_, Ok(ready))) = seen.first_mut() {
        let stopped = tags.tags.iter().filter(|sight| sight.row.is_stopped());
        ready.stopped = stopped.map(|sight| (sight.tag, sight.row)).collect();
    }
    seen
}

async fn ready(store: &Watched) -> Result<Ready, Problem> {
    let now = store.ready().await?;
    let (generation, floor) = (store.generation(), store.floor());
    let journal = store.inside().and_then(|inside| inside.journal);
    Ok(Ready { store: store.id(), now, generation, floor, journal, stopped: Vec::new() })
}

/// A tag that is stopped.
pub fn put_stopped(writer: &mut impl FieldWriter, (tag, row): (Name, TagRow)) {
    writer.text("tag", tag.as_str());
    writer.big("max_id", row.max_id);
    writer.big("claimed_until", row.claimed_until.unwrap_or(0));
}

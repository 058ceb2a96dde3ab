//! Whether the process lives, and whether it can serve.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use futures_util::future::join_all;
use leafid_core::{Code, FieldWriter, StoreTime, Token};

use super::answer::Json;
use crate::app::App;
use crate::http::authorize::Known;
use crate::json::Writer;
use crate::log::Rate;
use crate::problem::Problem;
use crate::store::alarms::{Ends, Line};
use crate::store::parted::Kept;
use crate::store::watched::Watched;
use crate::store::{JournalSight, Store};

/// How long lines that went back are looked at.
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

/// A store that can grant, and the lines of it that went back.
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
    /// The lines, with what a holder has and what the store knows.
    pub lines: Vec<(Line, Ends)>,
}

/// What a store keeps, where there are two, and whether it can grant.
pub type Seen = (Option<Kept>, Result<Ready, Problem>);

/// `GET /readyz`: leases can be had. Where none can, 503 with the reason. Where some line went back
/// and still stands below what its holders have, or one of two stores grants nothing, the answer is
/// `degraded` and names it. Probes, which have no token, get the status alone where one is wanted.
pub async fn readyz(State(app): State<Arc<App>>, known: Known) -> Result<Json, Problem> {
    let looks = app.stores.each().map(|(kept, store)| async move { (kept, look(store).await) });
    let seen = join_all(looks).await;
    match (seen.iter().any(|(_, found)| found.is_ok()), known) {
        (true, Known(true)) => Ok(Json::write(|writer| put_ready(writer, &seen))),
        (true, Known(false)) => Ok(Json::write(|writer| put_status(writer, &seen))),
        (false, Known(true)) => Err(none(seen).status(503)),
        (false, Known(false)) => Err(withheld(&none(seen)).status(503)),
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
    let lines: Vec<_> = found.flat_map(|ready| ready.lines.iter().copied()).collect();
    writer.array("went_back", lines, |writer, (line, ends)| put_line(writer, &line, ends));
}

fn put_status(writer: &mut Writer, seen: &[Seen]) {
    let sound = |found: &Result<Ready, Problem>| found.as_ref().is_ok_and(|r| r.lines.is_empty());
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
        Ok(ready) if ready.lines.is_empty() => "ok",
        Ok(_) => "degraded",
        Err(problem) if problem.code == Code::StoreRefused => "refused",
        Err(_) => "unavailable",
    }
}

/// Whether a store can grant, and which of its lines went back.
pub async fn look(store: &Watched) -> Result<Ready, Problem> {
    let now = store.ready().await?;
    let standing = tokio::time::timeout(LOOKING, store.alarms().standing(store)).await;
    // Rows that cannot be read now, or are locked, say nothing of the others.
    let lines = standing.ok().and_then(Result::ok).unwrap_or_else(|| store.alarms().known());
    let (generation, floor) = (store.generation(), store.floor());
    let journal = store.inside().and_then(|inside| inside.journal);
    Ok(Ready { store: store.id(), now, generation, floor, journal, lines })
}

/// A line that went back: what a holder has, and what the store knows.
pub fn put_line(writer: &mut impl FieldWriter, line: &Line, ends: Ends) {
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

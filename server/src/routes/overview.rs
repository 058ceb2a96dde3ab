//! The store, its tags and namespaces at a glance: what the dashboard shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use leafid_core::{FieldWriter, Name, Range, Token};
use leafid_store::dispense::driver::AtHand;
use leafid_store::json::Writer;
use leafid_store::meter::histogram::Reading;
use leafid_store::meter::leases::Leased;
use leafid_store::problem::Problem;
use leafid_store::store::{Inside, JournalSight};

use super::answer::Json;
use super::health::{self, Ready};
use super::{namespaces, numbers, tags};
use crate::app::App;
use crate::seen::census::{SpaceSight, TagSight};

/// A store.
pub struct StoreSight {
    /// Where it lies.
    pub place: String,
    /// Its id.
    pub id: Token,
    /// How often it was fenced.
    pub generation: u64,
    /// Whether it grants.
    pub found: Result<Ready, Problem>,
    /// Its inside, where it is open.
    pub inside: Option<Within>,
}

/// What is shown of a store's inside.
pub struct Within {
    /// How many requests wait.
    pub waiting: u64,
    /// Its journal, where there is one.
    pub journal: Option<JournalSight>,
    /// How far its database has come.
    pub position: u64,
    /// How long its back end took to write, in µs.
    pub write: Reading,
}

/// What is shown of a tag beside what was seen of it.
#[derive(Default)]
pub struct InUse {
    /// What this server itself has at hand.
    pub at_hand: AtHand,
    /// The last leases from this server.
    pub recent: Vec<Leased>,
}

/// All of it.
pub struct Overview {
    /// The store.
    pub store: StoreSight,
    /// The tags, where they can be read.
    pub tags: Option<Vec<(TagSight, InUse)>>,
    /// Whether there are other tags.
    pub more_tags: bool,
    /// The namespaces, where they can be read.
    pub spaces: Option<Vec<SpaceSight>>,
}

/// `GET /v1/overview`
pub async fn get(State(app): State<Arc<App>>) -> Json {
    let (found, tags, spaces) = tokio::join!(
        health::look(&app),
        app.census.tags(&app.store),
        app.census.spaces(&app.store)
    );
    let store = StoreSight {
        place: app.store.place(),
        id: app.store.id(),
        generation: app.store.generation(),
        found,
        inside: app.store.inside().map(Within::from),
    };
    let more_tags = tags.as_ref().is_ok_and(|seen| seen.more);
    let tags = tags.ok().map(|seen| {
        let mut in_use = in_use(&app);
        let used = |sight: &TagSight| (*sight, in_use.remove(&sight.tag).unwrap_or_default());
        seen.tags.iter().map(used).collect()
    });
    let spaces = spaces.ok().map(|spaces| spaces.to_vec());
    let overview = Overview { store, tags, more_tags, spaces };
    Json::write(|writer| put(writer, &overview))
}

fn in_use(app: &App) -> BTreeMap<Name, InUse> {
    let mut all: BTreeMap<Name, InUse> = BTreeMap::new();
    for (tag, at_hand) in app.generators.at_hand() {
        all.entry(tag).or_default().at_hand = at_hand;
    }
    for (tag, counts) in app.store.leases().tags.each() {
        if let Some(tag) = tag {
            all.entry(tag).or_default().recent = counts.recent();
        }
    }
    all
}

impl From<Inside> for Within {
    fn from(inside: Inside) -> Within {
        let Inside { turns, arriving, position, journal } = inside;
        let waiting = [&turns.acquires, &turns.others, &turns.again].map(|line| line.get());
        let waiting = waiting.iter().sum::<u64>() + arriving;
        Within { waiting, journal, position, write: turns.write.read() }
    }
}

/// Writes it.
pub fn put(writer: &mut Writer, overview: &Overview) {
    let Overview { store, tags, more_tags, spaces } = overview;
    writer.text("version", env!("CARGO_PKG_VERSION"));
    writer.nested("store", |writer| put_store(writer, store));
    if let Some(tags) = tags {
        writer.array("tags", tags.iter(), |writer, (sight, in_use)| {
            put_tag(writer, sight, in_use);
        });
    }
    writer.flag("more_tags", *more_tags);
    if let Some(spaces) = spaces {
        writer.array("namespaces", spaces.iter(), put_space);
    }
    let stopped = store.found.iter().flat_map(|ready| ready.stopped.iter().copied());
    writer.array("went_back", stopped, health::put_stopped);
}

fn put_store(writer: &mut Writer, store: &StoreSight) {
    writer.text("status", health::state(&store.found));
    writer.text("place", &store.place);
    writer.token("id", store.id);
    writer.number("generation", store.generation);
    match &store.found {
        Ok(ready) => writer.millis("now_ms", ready.now.get()),
        Err(problem) => {
            writer.text("code", problem.code.as_str());
            writer.text("detail", &problem.detail);
        }
    }
    let Some(Within { waiting, journal, position, write }) = &store.inside else { return };
    writer.number("waiting", *waiting);
    health::put_journal(writer, *journal);
    writer.big("position", *position);
    let mut time = |field, part| {
        let time = write.quantile(part);
        time.inspect(|time| writer.number(field, *time));
    };
    time("write_p50_us", 0.5);
    time("write_p99_us", 0.99);
}

fn put_tag(writer: &mut Writer, sight: &TagSight, in_use: &InUse) {
    tags::put_row(writer, &sight.tag, &sight.row);
    if let Some(per_second) = sight.per_second {
        // A position that was written anew may stand lower.
        writer.big("per_day", (per_second.max(0.0) * 86_400.0).round() as u64);
    }
    let InUse { at_hand: AtHand { next, ranges }, recent } = in_use;
    if !ranges.is_empty() {
        writer.nested("at_hand", |writer| {
            writer.big("next", *next);
            writer.array("ranges", ranges.iter(), |writer, range| put_range(writer, *range));
        });
    }
    writer.array("recent", recent.iter(), |writer, leased| {
        put_range(writer, leased.range);
        writer.millis("at_ms", leased.at.get());
    });
}

fn put_range(writer: &mut impl FieldWriter, range: Range) {
    writer.big("start", range.start);
    writer.big("end", range.end);
}

fn put_space(writer: &mut Writer, space: &SpaceSight) {
    namespaces::put_row(writer, &space.name, &space.row);
    writer.nested("numbers", |writer| numbers::put_counts(writer, &space.numbers));
    if let Some(per_second) = space.per_second {
        writer.big("more_per_day", (per_second.max(0.0) * 86_400.0).round() as u64);
    }
}

//! A store as a component: it implements what `leafid.wasm` imports, and leaves every decision to the
//! `registry` of `leafid-pure.wasm`. Its table is a map in memory, so it creates tags and namespaces on use,
//! and forgets its grants at its end. A durable store writes the row to its database before it answers, on
//! the condition that it has not changed.
//!
//! Nothing stays borrowed during an import call: each verb copies its row, decides, and writes it.
#![cfg(target_family = "wasm")]

#[expect(unsafe_code, reason = "what crosses the border are pointers; the generated code has them")]
mod bindings {
    wit_bindgen::generate!({ path: "../../wit", world: "leafid-store", generate_all });

    use super::Memory;
    export!(Memory with_types_in self);
}

use std::cell::RefCell;
use std::collections::BTreeMap;

use bindings::exports::leafid::generator::store::Guest;
use bindings::leafid::generator::registry::{
    self, Candidates, NamespaceRow, NewNamespace, NewTag, TagRow, WorkerRow,
};
use bindings::leafid::generator::types::{
    AcquireAsk, Code, Failure, Layout, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, Token,
    WindowGrant,
};
use bindings::wasi::{clocks::wall_clock, random::random};

/// Twitter's layout, for namespaces whose first caller wants no other.
const LAYOUT: Layout = Layout {
    epoch_ms: 1_288_834_974_657,
    tick_ms: 1,
    time_bits: 41,
    worker_bits: 10,
    sequence_bits: 12,
};

#[derive(Clone)]
struct Namespace {
    row: NamespaceRow,
    workers: BTreeMap<u32, WorkerRow>,
}

#[derive(Default)]
struct Tables {
    id: Option<Token>,
    tags: BTreeMap<String, TagRow>,
    namespaces: BTreeMap<String, Namespace>,
    latest: i64,
}

thread_local! {
    static TABLES: RefCell<Tables> = RefCell::default();
}

fn tables<T>(act: impl FnOnce(&mut Tables) -> T) -> T {
    TABLES.with(|tables| act(&mut tables.borrow_mut()))
}

/// The store's id: new each time, since earlier grants are forgotten.
fn id() -> Token {
    let fresh = (random::get_random_u64(), random::get_random_u64());
    tables(|tables| *tables.id.get_or_insert(fresh))
}

/// The store's time, which never goes back.
fn now() -> i64 {
    let time = wall_clock::now();
    let ms = (time.seconds * 1_000) as i64 + i64::from(time.nanoseconds / 1_000_000);
    tables(|tables| {
        tables.latest = tables.latest.max(ms);
        tables.latest
    })
}

fn namespace(ask: &AcquireAsk) -> Result<Namespace, Failure> {
    if let Some(known) = tables(|tables| tables.namespaces.get(&ask.namespace).cloned()) {
        return Ok(known);
    }
    let wanted = NewNamespace {
        namespace: ask.namespace.clone(),
        layout: ask.layout.unwrap_or(LAYOUT),
        workers: None,
        max_window_ms: None,
    };
    let row = registry::create_namespace(&wanted).map_err(|no| failure(no, 0))?;
    Ok(Namespace { row, workers: BTreeMap::new() })
}

fn known(name: &str) -> Result<Namespace, Failure> {
    let known = tables(|tables| tables.namespaces.get(name).cloned());
    known.ok_or(Failure { code: Code::NamespaceUnknown, retry_after_ms: None })
}

/// A worker's row, a fresh one if there is none yet.
fn row(space: &Namespace, worker: u32) -> WorkerRow {
    let fresh = WorkerRow {
        worker,
        owner: String::new(),
        sticky: false,
        key: None,
        held_from: 0,
        reserved_until: 0,
        granted: 0,
    };
    space.workers.get(&worker).cloned().unwrap_or(fresh)
}

fn write(name: &str, rows: impl IntoIterator<Item = WorkerRow>, mut space: Namespace) {
    space.workers.extend(rows.into_iter().map(|row| (row.worker, row)));
    tables(|tables| tables.namespaces.insert(name.to_owned(), space));
}

fn failure(refusal: Refusal, now: i64) -> Failure {
    let wait = |until: i64| u32::try_from((until - now).max(0)).unwrap_or(u32::MAX);
    Failure { code: refusal.code, retry_after_ms: refusal.until.map(wait) }
}

struct Memory;

impl Guest for Memory {
    fn lease_segment(ask: SegmentAsk) -> Result<SegmentGrant, Failure> {
        let (id, now) = (id(), now());
        let row = match tables(|tables| tables.tags.get(&ask.tag).copied()) {
            Some(row) => row,
            None => {
                let tag = ask.tag.clone();
                let wanted = NewTag { tag, first: None, step: None, max_step: None, until: None };
                registry::create_tag(&wanted, None).map_err(|no| failure(no, now))?
            }
        };
        let leased = registry::lease_segment(id, row, &ask, now);
        let (row, answer) = leased.map_err(|no| failure(no, now))?;
        tables(|tables| tables.tags.insert(ask.tag, row));
        answer.map_err(|no| failure(no, now))
    }

    fn acquire(ask: AcquireAsk) -> Result<WindowGrant, Failure> {
        let (id, now, space) = (id(), now(), namespace(&ask)?);
        let mut rows = space.workers.values();
        let mine = rows.clone().find(|row| row.key == Some(ask.request)).cloned();
        let mut kept = rows.clone().filter(|row| row.sticky && row.owner == ask.owner).cloned();
        // A number without a row is free; otherwise the one whose window ends first.
        let numbers = space.row.workers.start as u32..space.row.workers.end as u32;
        let unused = numbers.clone().find(|number| !space.workers.contains_key(number));
        let rested = match unused {
            Some(number) => Some(row(&space, number)),
            None => rows.by_ref().min_by_key(|row| (row.sticky, row.reserved_until)).cloned(),
        };
        let candidates = Candidates { mine, kept: kept.next(), spare: kept.next(), rested };
        let given = registry::acquire(id, space.row, &candidates, &ask, now);
        let given = given.map_err(|no| failure(no, now))?;
        drop(kept);
        write(&ask.namespace, [Some(given.row), given.freed].into_iter().flatten(), space);
        Ok(given.grant)
    }

    fn renew(ask: RenewAsk) -> Result<WindowGrant, Failure> {
        let (id, now, space) = (id(), now(), known(&ask.namespace)?);
        let renewed = registry::renew(id, space.row, &row(&space, ask.worker), &ask, now);
        let (row, answer) = renewed.map_err(|no| failure(no, now))?;
        write(&ask.namespace, [row], space);
        answer.map_err(|no| failure(no, now))
    }

    fn give_back(release: Release) -> Result<(), Failure> {
        let (id, space) = (id(), known(&release.namespace)?);
        let row = registry::give_back(id, &row(&space, release.worker), &release);
        write(&release.namespace, [row.map_err(|no| failure(no, 0))?], space);
        Ok(())
    }
}

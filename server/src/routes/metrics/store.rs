//! The store: whether it grants, how often it was fenced, and how fast it is.

use leafid_store::hex::hex;
use leafid_store::meter::histogram::Histogram;
use leafid_store::meter::turns::Turns;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::Inside;

use super::requests::MICROS;
use crate::routes::health::{self, Ready};
use crate::seen::exposition::Exposition;

/// The states of a store: one of them is 1.
const STATES: [&str; 4] = ["ok", "degraded", "refused", "unavailable"];

/// Whether it grants, what it is, and what of it was lost.
pub fn put(all: &mut Exposition, store: &Registry, found: &Result<Ready, Problem>) {
    all.gauge("leafid_store_up", "1 where the store grants, 0 where it does not.")
        .count(&[], u64::from(found.is_ok()));
    let help = "The state of the store: 1 for the one that it is in. `degraded`: a tag is stopped, as a \
                holder has shown more of it than the store knows; `refused`: it lost grants again \
                and again, or an operator has to look.";
    let mut family = all.gauge("leafid_store_state", help);
    let is = health::state(found);
    for state in STATES {
        family.count(&[("state", state)], u64::from(state == is));
    }
    let help = "Always 1; the labels say which store it is, and where it lies.";
    let (id, place) = (hex(store.id()), store.place());
    all.gauge("leafid_store_info", help).count(&[("id", &id), ("place", &place)], 1);
    let help =
        "Tags that are stopped: a holder has shown more of them than the store ever granted.";
    let stopped = found.as_ref().ok().map(|ready| ready.stopped.len() as f64);
    all.gauge("leafid_store_lines_went_back", help).value(&[], stopped);
    let help = "How often the store was fenced, as far as this server knows.";
    all.gauge("leafid_fence_generation", help).count(&[], store.generation());
    if let Some(inside) = store.inside() {
        put_fence(all, &inside);
        put_turns(all, &inside);
    }
}

fn put_fence(all: &mut Exposition, Inside { position, journal, .. }: &Inside) {
    let help = "How far the store's database has come by its own count, when that was noted last; 0 \
                where it has none.";
    all.gauge("leafid_fence_position", help).count(&[], *position);
    let as_number = |is: bool| f64::from(u8::from(is));
    let help =
        "1 where the fence's journal is written, 0 where that failed last; absent without one.";
    let written = journal.map(|found| as_number(found.written));
    all.gauge("leafid_journal_up", help).value(&[], written);
    let help = "Since when there is a journal, in seconds since 1970; 0 without one.";
    let since = journal.map_or(0, |found| found.since.get().unsigned_abs() / 1_000);
    all.gauge("leafid_journal_since_seconds", help).count(&[], since);
    let help = "1 where the journal lies on another disk than the store, 0 where both are lost together; \
                absent without one.";
    let apart = journal.map(|found| as_number(found.apart));
    all.gauge("leafid_journal_apart", help).value(&[], apart);
}

/// How the store's thread gets on.
fn put_turns(all: &mut Exposition, Inside { turns, arriving, .. }: &Inside) {
    let help = "Requests that wait for the store's thread, by line: `acquires` and `others` for their \
                first try, `again` for another one.";
    let mut family = all.gauge("leafid_queue_length", help);
    let lines = [
        ("acquires", turns.acquires.get()),
        ("others", turns.others.get() + arriving),
        ("again", turns.again.get()),
    ];
    for (line, length) in lines {
        family.count(&[("line", line)], length);
    }
    let help = "How long requests waited for the store's thread, in seconds.";
    all.histogram("leafid_queue_wait_seconds", help).reading(&[], &turns.waited.read(), MICROS);
    let help = "How long the store's back end took, in seconds: to begin a turn (others may have it \
                locked), to read, to write and make durable.";
    let mut family = all.histogram("leafid_backend_duration_seconds", help);
    let steps: [(&str, &Histogram); 3] =
        [("begin", &turns.begin), ("read", &turns.read), ("write", &turns.write)];
    for (step, took) in steps {
        family.reading(&[("step", step)], &took.read(), MICROS);
    }
    let help = "How many requests were decided and written together.";
    all.histogram("leafid_turn_requests", help).reading(&[], &turns.requests.read(), 1.0);
    let mut counter = |name, help, value: fn(&Turns) -> u64| {
        all.counter(name, help).count(&[], value(turns));
    };
    let help = "Requests whose rows another server wrote first, and that were tried again.";
    counter("leafid_conflicts_total", help, |turns| turns.conflicts.get());
    let help = "Requests whose caller was gone when their turn came.";
    counter("leafid_abandoned_total", help, |turns| turns.abandoned.get());
    let help = "Requests that waited longer than callers do, and were refused.";
    counter("leafid_late_total", help, |turns| turns.late.get());
}

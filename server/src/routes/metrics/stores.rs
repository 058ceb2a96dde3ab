//! The stores: whether they grant, how often they were fenced, and how fast they are.

use leafid_store::hex::hex;
use leafid_store::meter::histogram::Histogram;
use leafid_store::meter::turns::Turns;
use leafid_store::store::parted::{Kept, Stores};
use leafid_store::store::{Inside, Store};

use super::requests::MICROS;
use crate::routes::health::{self, Seen};
use crate::seen::exposition::Exposition;

/// The states of a store: one of them is 1.
const STATES: [&str; 4] = ["ok", "degraded", "refused", "unavailable"];

/// What a store is called in metrics.
pub fn name(kept: Option<Kept>) -> &'static str {
    kept.map_or("main", Kept::name)
}

/// Whether they grant, what they are, and what of them was lost.
pub fn put(all: &mut Exposition, stores: &Stores, ready: &[Seen]) {
    let mut family = all.gauge("leafid_store_up", "1 where a store grants, 0 where it does not.");
    for (kept, found) in ready {
        family.count(&[("store", name(*kept))], u64::from(found.is_ok()));
    }
    let help = "The state of a store: 1 for the one that it is in. `degraded`: a tag is stopped, as a \
                holder has shown more of it than the store knows; `refused`: it lost grants again \
                and again, or an operator has to look.";
    let mut family = all.gauge("leafid_store_state", help);
    for (kept, found) in ready {
        let is = health::state(found);
        for state in STATES {
            let labels = [("store", name(*kept)), ("state", state)];
            family.count(&labels, u64::from(state == is));
        }
    }
    let help = "Always 1; the labels say which store it is, and where it lies.";
    let mut family = all.gauge("leafid_store_info", help);
    for (kept, store) in stores.each() {
        let (id, place) = (hex(store.id()), store.place());
        family.count(&[("store", name(kept)), ("id", &id), ("place", &place)], 1);
    }
    let help =
        "Tags that are stopped: a holder has shown more of them than the store ever granted.";
    let mut family = all.gauge("leafid_store_lines_went_back", help);
    for (kept, found) in ready {
        let stopped = found.as_ref().ok().map(|ready| ready.stopped.len() as f64);
        family.value(&[("store", name(*kept))], stopped);
    }
    let help = "How often a store was fenced, as far as this server knows.";
    let mut family = all.gauge("leafid_fence_generation", help);
    for (kept, store) in stores.each() {
        family.count(&[("store", name(kept))], store.generation());
    }
    let inside: Vec<(&str, Inside)> = inside(stores);
    let help = "How far a store's database has come by its own count, when that was noted last; 0 \
                where it has none.";
    let mut family = all.gauge("leafid_fence_position", help);
    for (store, inside) in &inside {
        family.count(&[("store", store)], inside.position);
    }
    let help =
        "1 where the fence's journal is written, 0 where that failed last; absent without one.";
    let mut family = all.gauge("leafid_journal_up", help);
    for (store, inside) in &inside {
        family.value(&[("store", store)], inside.journal.map(|found| as_number(found.written)));
    }
    let help = "Since when there is a journal, in seconds since 1970; 0 without one.";
    let mut family = all.gauge("leafid_journal_since_seconds", help);
    for (store, inside) in &inside {
        let since = inside.journal.map_or(0, |found| found.since.get().unsigned_abs() / 1_000);
        family.count(&[("store", store)], since);
    }
    let help = "1 where the journal lies on another disk than the store, 0 where both are lost together; \
                absent without one.";
    let mut family = all.gauge("leafid_journal_apart", help);
    for (store, inside) in &inside {
        family.value(&[("store", store)], inside.journal.map(|found| as_number(found.apart)));
    }
}

fn as_number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn inside(stores: &Stores) -> Vec<(&'static str, Inside)> {
    stores.each().filter_map(|(kept, store)| Some((name(kept), store.inside()?))).collect()
}

/// How the threads of the stores get on.
pub fn put_turns(all: &mut Exposition, stores: &Stores) {
    let inside = inside(stores);
    let help = "Requests that wait for a store's thread, by line: `acquires` and `others` for their \
                first try, `again` for another one.";
    let mut family = all.gauge("leafid_queue_length", help);
    for (store, Inside { turns, arriving, .. }) in &inside {
        let lines = [
            ("acquires", turns.acquires.get()),
            ("others", turns.others.get() + arriving),
            ("again", turns.again.get()),
        ];
        for (line, length) in lines {
            family.count(&[("store", store), ("line", line)], length);
        }
    }
    let help = "How long requests waited for a store's thread, in seconds.";
    let mut family = all.histogram("leafid_queue_wait_seconds", help);
    for (store, Inside { turns, .. }) in &inside {
        family.reading(&[("store", store)], &turns.waited.read(), MICROS);
    }
    let help = "How long a store's back end took, in seconds: to begin a turn (others may have it \
                locked), to read, to write and make durable.";
    let mut family = all.histogram("leafid_backend_duration_seconds", help);
    for (store, Inside { turns, .. }) in &inside {
        let steps: [(&str, &Histogram); 3] =
            [("begin", &turns.begin), ("read", &turns.read), ("write", &turns.write)];
        for (step, took) in steps {
            family.reading(&[("store", store), ("step", step)], &took.read(), MICROS);
        }
    }
    let help = "How many requests were decided and written together.";
    let mut family = all.histogram("leafid_turn_requests", help);
    for (store, Inside { turns, .. }) in &inside {
        family.reading(&[("store", store)], &turns.requests.read(), 1.0);
    }
    let mut counter = |name, help, value: fn(&Turns) -> u64| {
        let mut family = all.counter(name, help);
        for (store, Inside { turns, .. }) in &inside {
            family.count(&[("store", store)], value(turns));
        }
    };
    let help = "Requests whose rows another server wrote first, and that were tried again.";
    counter("leafid_conflicts_total", help, |turns| turns.conflicts.get());
    let help = "Requests whose caller was gone when their turn came.";
    counter("leafid_abandoned_total", help, |turns| turns.abandoned.get());
    let help = "Requests that waited longer than callers do, and were refused.";
    counter("leafid_late_total", help, |turns| turns.late.get());
}

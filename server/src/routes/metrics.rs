//! `/metrics`, for a monitoring system. `docs/METRICS.md` explains each metric.

mod exposition;
mod lines;
mod process;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Response};
use leafid_core::Name;
use leafid_store::dispense::Generators;
use leafid_store::hex;
use leafid_store::meter::leases::{NAMED, OfSpace, Outcomes};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::Inside;
use leafid_wire::http_status;

use self::exposition::{Exposition, names_openmetrics};
use super::health::{self, Ready};
use crate::app::App;
use crate::seen::requests::{CLASSES, Requests};

/// The label of everything that is not counted by name; no tag can have this name.
const OTHERS: &str = "_other";
const MICROS: f64 = 1_000_000.0;
/// The states of a store; exactly one of them is 1.
const STATES: [&str; 4] = ["ok", "degraded", "refused", "unavailable"];

/// `GET /metrics`. It never fails: metrics that cannot be read now are absent, and `leafid_store_up` is 0.
pub async fn get(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let open = accept.is_some_and(names_openmetrics);
    let kind = match open {
        true => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        false => "text/plain; version=0.0.4; charset=utf-8",
    };
    let mut response = Response::new(Body::from(text(&app, open).await));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn text(app: &App, open: bool) -> String {
    let (ready, tags, spaces) =
        tokio::join!(health::look(app), app.census.tags(&app.store), app.census.spaces(&app.store));
    let mut all = Exposition::new(open);
    all.family("leafid_build_info").count(&[("version", env!("CARGO_PKG_VERSION"))], 1);
    put_store(&mut all, &app.store, &ready);
    if let Some(inside) = app.store.inside() {
        put_inside(&mut all, &inside);
    }
    put_requests(&mut all, &app.requests);
    put_leases(&mut all, &app.store);
    put_single(&mut all, &app.generators);
    if let Ok(tags) = tags {
        lines::put_tags(&mut all, &tags);
    }
    if let Ok(spaces) = spaces {
        lines::put_spaces(&mut all, &spaces);
    }
    for (name, value) in process::figures() {
        all.family(name).value(&[], value);
    }
    all.end()
}

/// The store: whether it grants, its engine, its last fence.
fn put_store(all: &mut Exposition, store: &Registry, found: &Result<Ready, Problem>) {
    all.one("leafid_store_up", found.is_ok().into());
    all.family("leafid_store_state");
    for state in STATES {
        all.count(&[("state", state)], (state == health::state(found)).into());
    }
    let (id, place) = (hex(store.id()), store.place());
    all.family("leafid_store_info").count(&[("id", &id), ("place", &place)], 1);
    all.family("leafid_store_lines_went_back");
    if let Ok(ready) = found {
        all.count(&[], ready.stopped.len() as u64);
    }
    all.one("leafid_fence_generation", store.generation());
    let register = store.register();
    all.one("leafid_servers", register.members as u64);
    all.one("leafid_servers_waited_for", register.waits_for.len() as u64);
}

/// The journal, and the load of the store's thread.
fn put_inside(all: &mut Exposition, Inside { turns, arriving, journal }: &Inside) {
    if let Some(journal) = journal {
        all.one("leafid_journal_up", journal.is_written().into());
        all.one("leafid_journal_apart", journal.apart.into());
    }
    let since = journal.as_ref().map_or(0, |found| found.since.get().unsigned_abs() / 1_000);
    all.one("leafid_journal_since_seconds", since);
    all.family("leafid_queue_length");
    for (line, length) in [
        ("acquires", turns.acquires.get()),
        ("others", turns.others.get() + arriving),
        ("again", turns.again.get()),
    ] {
        all.count(&[("line", line)], length);
    }
    all.family("leafid_queue_wait_seconds").reading(&[], &turns.waited.read(), MICROS);
    all.family("leafid_ack_wait_seconds").reading(&[], &turns.acks.read(), MICROS);
    all.family("leafid_backend_duration_seconds");
    for (step, took) in [("begin", &turns.begin), ("read", &turns.read), ("write", &turns.write)] {
        all.reading(&[("step", step)], &took.read(), MICROS);
    }
    all.family("leafid_turn_requests").reading(&[], &turns.requests.read(), 1.0);
    all.one("leafid_conflicts_total", turns.conflicts.get());
    all.one("leafid_abandoned_total", turns.abandoned.get());
    all.one("leafid_late_total", turns.late.get());
}

/// HTTP requests: count, duration, reason of refusal.
fn put_requests(all: &mut Exposition, requests: &Requests) {
    all.family("leafid_http_requests_total");
    for (route, counts) in requests.routes() {
        for (class, count) in CLASSES.iter().zip(&counts.answers) {
            all.count(&[("route", route), ("status", class)], count.get());
        }
    }
    all.family("leafid_http_request_duration_seconds");
    for (route, counts) in requests.routes() {
        all.reading(&[("route", route)], &counts.took.read(), MICROS);
    }
    all.family("leafid_http_problems_total");
    for (code, count) in requests.codes().filter(|(code, _)| http_status(*code).is_some()) {
        all.count(&[("code", code.as_str())], count);
    }
}

/// The label of what is counted under a name.
fn name(name: &Option<Name>) -> String {
    name.map_or(OTHERS.to_owned(), |name| name.to_string())
}

/// Leases by tag; acquires, renewals and releases by namespace; both by outcome.
fn put_leases(all: &mut Exposition, store: &Registry) {
    let leases = store.leases();
    let (tags, spaces) = (leases.tags.each(), leases.spaces.each());
    all.family("leafid_leases_total");
    for (tag, counts) in &tags {
        for (outcome, count) in counts.leases.each() {
            all.count(&[("tag", &name(tag)), ("outcome", outcome)], count);
        }
    }
    all.family("leafid_leased_ids_total");
    for (tag, counts) in &tags {
        all.count(&[("tag", &name(tag))], counts.ids.get());
    }
    all.one("leafid_leases_from_memory_total", leases.from_memory.get());
    let mut of_spaces = |of, outcomes: fn(&OfSpace) -> &Outcomes| {
        all.family(of);
        for (space, counts) in &spaces {
            for (outcome, count) in outcomes(counts).each() {
                all.count(&[("namespace", &name(space)), ("outcome", outcome)], count);
            }
        }
    };
    of_spaces("leafid_acquires_total", |counts| &counts.acquires);
    of_spaces("leafid_renewals_total", |counts| &counts.renewals);
    of_spaces("leafid_releases_total", |counts| &counts.releases);
}

/// The server's own generators: single IDs over HTTP, and those of Leaf's clients.
fn put_single(all: &mut Exposition, generators: &Generators) {
    let singles = generators.counted();
    all.family("leafid_single_ids_total");
    for (kind, of, counts) in &singles {
        all.count(&[("kind", kind), ("name", &name(of))], counts.ids.get());
    }
    all.family("leafid_single_waits_total");
    for (kind, of, counts) in &singles {
        all.count(&[("kind", kind), ("name", &name(of))], counts.waits.get());
    }
    all.family("leafid_single_ids_in_hand");
    for (kind, name, in_hand) in generators.in_hand().into_iter().take(NAMED) {
        all.count(&[("kind", kind), ("name", name.as_str())], in_hand);
    }
}

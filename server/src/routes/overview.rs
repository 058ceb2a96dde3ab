//! The store, its tags and namespaces at a glance, for the dashboard.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use leafid_core::Range;
use leafid_store::dispense::driver::AtHand;
use leafid_store::json::Writer;
use leafid_store::meter::leases::Leased;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::Inside;
use leafid_wire::FieldWriter;

use super::answer::Json;
use super::health::{self, Ready};
use super::{namespaces, tags};
use crate::app::App;
use crate::seen::census::{SpaceSight, TagSight};

pub async fn get(State(app): State<Arc<App>>) -> Json {
    let (found, tags, spaces) = tokio::join!(
        health::look(&app),
        app.census.tags(&app.store),
        app.census.spaces(&app.store)
    );
    let at_hand: BTreeMap<_, _> = app.generators.at_hand().into_iter().collect();
    let leased: BTreeMap<_, _> = app.store.leases().tags.each().into_iter().collect();
    Json::write(|writer| {
        writer.text("version", env!("CARGO_PKG_VERSION"));
        writer.nested("store", |writer| put_store(writer, &app.store, &found));
        if let Ok(tags) = &tags {
            writer.array("tags", tags.tags.iter(), |writer, sight| {
                let recent = leased.get(&Some(sight.tag)).map(|counts| counts.recent());
                let recent = recent.unwrap_or_default();
                put_tag(writer, sight, at_hand.get(&sight.tag), &recent);
            });
        }
        writer.flag("more_tags", tags.is_ok_and(|tags| tags.more));
        if let Ok(spaces) = &spaces {
            writer.array("namespaces", spaces.iter(), put_space);
        }
        let stopped = found.iter().flat_map(|ready| ready.stopped.iter().copied());
        writer.array("went_back", stopped, health::put_stopped);
    })
}

fn put_store(writer: &mut Writer, store: &Registry, found: &Result<Ready, Problem>) {
    writer.text("status", health::state(found));
    writer.text("place", &store.place());
    writer.token("id", store.id());
    writer.number("generation", store.generation());
    match found {
        Ok(ready) => writer.millis("now_ms", ready.now.get()),
        Err(problem) => writer.text("detail", &problem.detail),
    }
    let Some(Inside { turns, arriving, journal, .. }) = store.inside() else { return };
    let waiting = turns.acquires.get() + turns.others.get() + turns.again.get() + arriving;
    writer.number("waiting", waiting);
    health::put_journal(writer, journal.as_ref());
    let register = store.register();
    health::put_servers(writer, register.members, &register.waits_for);
    let write = turns.write.read();
    for (field, part) in [("write_p50_us", 0.5), ("write_p99_us", 0.99)] {
        write.quantile(part).inspect(|time| writer.number(field, *time));
    }
}

fn put_tag(writer: &mut Writer, sight: &TagSight, at_hand: Option<&AtHand>, recent: &[Leased]) {
    tags::put_row(writer, &sight.tag, &sight.row);
    put_rate(writer, "per_day", sight.per_second);
    if let Some(AtHand { next, ranges }) = at_hand.filter(|at_hand| !at_hand.ranges.is_empty()) {
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
    namespaces::put_row(writer, &space.name, &space.numbers.namespace);
    writer.nested("numbers", |writer| namespaces::put_counts(writer, &space.numbers));
    put_rate(writer, "more_per_day", space.per_second);
}

/// Growth in a day; 0 for a number that was set back.
fn put_rate(writer: &mut Writer, field: &'static str, per_second: Option<f64>) {
    if let Some(per_second) = per_second {
        writer.big(field, (per_second.max(0.0) * 86_400.0).round() as u64);
    }
}

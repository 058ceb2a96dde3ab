//! What was leased, and what the server itself hands out of it.

use std::sync::Arc;

use leafid_core::Name;
use leafid_store::dispense::{Generators, Single};
use leafid_store::meter::leases::{NAMED, OfSpace, OfTag, Outcomes};
use leafid_store::registry::Registry;

use super::OTHERS;
use crate::seen::exposition::Exposition;

type Named<T> = Vec<(String, Arc<T>)>;

/// Leases by tag; acquires, renewals and releases by namespace. Both with how they ended.
pub fn put(all: &mut Exposition, store: &Registry) {
    let (mut tags, mut spaces): (Named<OfTag>, Named<OfSpace>) = Default::default();
    let named = |name: Option<Name>| {
        name.map_or_else(|| OTHERS.to_owned(), |name| name.as_str().to_owned())
    };
    let leases = store.leases();
    tags.extend(leases.tags.each().into_iter().map(|(name, of)| (named(name), of)));
    spaces.extend(leases.spaces.each().into_iter().map(|(name, of)| (named(name), of)));

    let help = "Asks for numbers of a tag, by how they ended.";
    outcomes(all, "leafid_leases_total", help, "tag", &tags, |of| &of.leases);
    let mut family = all.counter("leafid_leased_ids_total", "Numbers of a tag that were leased.");
    for (tag, of) in &tags {
        family.count(&[("tag", tag)], of.ids.get());
    }
    let help = "Asks for a worker number, by how they ended.";
    outcomes(all, "leafid_acquires_total", help, "namespace", &spaces, |of| &of.acquires);
    let help = "Asks for a later end of a window, by how they ended.";
    outcomes(all, "leafid_renewals_total", help, "namespace", &spaces, |of| &of.renewals);
    let help = "Windows that holders gave back, by how that ended.";
    outcomes(all, "leafid_releases_total", help, "namespace", &spaces, |of| &of.releases);
}

fn outcomes<T>(
    all: &mut Exposition,
    name: &'static str,
    help: &str,
    label: &'static str,
    named: &Named<T>,
    of: impl Fn(&T) -> &Outcomes,
) {
    let mut family = all.counter(name, help);
    for (name, counts) in named {
        for (outcome, count) in of(counts).each() {
            family.count(&[(label, name), ("outcome", outcome)], count);
        }
    }
}

/// What the server's own generators did: the single IDs over HTTP, and those of Leaf's clients.
pub fn put_single(all: &mut Exposition, generators: &Generators) {
    let singles = generators.counted();
    let mut counter = |name, help, value: fn(&Single) -> u64| {
        let mut family = all.counter(name, help);
        for single in &singles {
            let name = single.name.as_ref().map_or(OTHERS, Name::as_str);
            family.count(&[("kind", single.kind), ("name", name)], value(single));
        }
    };
    let help = "IDs that this server handed out one by one, of a tag (`segment`) or a namespace \
                (`snowflake`).";
    counter("leafid_single_ids_total", help, |single| single.counts.ids.get());
    let help = "Requests for single IDs that had to wait for a grant or for the clock.";
    counter("leafid_single_waits_total", help, |single| single.counts.waits.get());
    let help = "IDs that can be handed out one by one without the store; of 200 names at most.";
    let mut family = all.gauge("leafid_single_ids_in_hand", help);
    for (kind, name, in_hand) in generators.in_hand().into_iter().take(NAMED) {
        family.count(&[("kind", kind), ("name", name.as_str())], in_hand);
    }
}

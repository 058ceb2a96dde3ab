//! A worker number that leaves its namespace's ranges may be used elsewhere until it comes back.

use std::path::Path;
use std::sync::Arc;

use leafid_core::{Name, StoreTime, Token};
use leafid_store::clock::ManualClock;
use leafid_store::registry::Registry;
use leafid_store::store::{Aside, NamespaceChange};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::asks::{acquire, namespace, workers};
use crate::beaten;
use crate::stores::replay;

const STORE: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
const KEY: &str = "01010101010101010101010101010101";

/// A case in which number 0 is granted for a second and renewed ten seconds later, by a holder that
/// slept, after these changes of the range.
fn late_renewal(ranges: &[(u32, u32)], gives: &Value) -> Value {
    let acquire = json!({ "namespace": "n", "request": KEY, "owner": "host-1", "sticky": true });
    let renew = json!({ "namespace": "n", "request": "02020202020202020202020202020202",
                        "store": STORE, "worker": 0, "key": KEY, "have_until": "$end" });
    let mut steps = vec![json!({ "at": "1800000000000", "do": "acquire", "ask": acquire,
                                 "gives": { "worker": 0, "end": "$end" } })];
    for (start, end) in ranges {
        steps.push(json!({ "at": "1800000005000", "do": "set_workers", "namespace": "n",
                           "workers": { "start": start, "end": end }, "gives": {} }));
    }
    steps.push(json!({ "at": "1800000010000", "do": "renew", "ask": renew, "gives": gives }));
    let space =
        json!({ "namespace": "n", "workers": { "start": 0, "end": 4 }, "max_window_ms": 1000 });
    json!({ "store": STORE, "namespaces": [space], "steps": steps })
}

#[test]
fn a_lease_ends_when_its_number_leaves_the_range_though_it_comes_back() {
    leases_end_with_the_range(&Runtime::new().unwrap(), "every third race lost", beaten);
}

/// Checks that a late renewal is refused if its number left the range meanwhile.
pub fn leases_end_with_the_range(
    runtime: &Runtime,
    back_end: &str,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry> + Copy,
) {
    let (granted, lost) = (json!({ "worker": 0 }), json!({ "code": "LEASE_LOST" }));
    // The control: a number that never left is renewed however late.
    for (ranges, gives) in [
        (&[][..], &granted),
        (&[(0, 2), (0, 4)], &granted),
        (&[(1, 4)], &lost),
        (&[(1, 4), (0, 4)], &lost),
        (&[(1, 4), (0, 4), (0, 2)], &lost),
    ] {
        let verdict = replay(&late_renewal(ranges, gives), runtime, open);
        verdict.unwrap_or_else(|why| panic!("{back_end}, {ranges:?}: {why}"));
    }
}

#[tokio::test]
async fn a_number_outside_the_range_that_was_set_aside_keeps_nobody_from_the_others() {
    outside_is_passed_by("every third race lost", beaten).await;
}

/// A number above the range is passed over, though it has rested longest of all.
pub async fn outside_is_passed_by(
    back_end: &str,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry>,
) {
    let begun = StoreTime::new(1_800_000_000_000);
    let clock = Arc::new(ManualClock::at(begun));
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), Token::new([0x5a; 16]), clock.clone());
    let change = NamespaceChange { max_window_ms: Some(1_000), ..workers(0, 2) };
    store.put_namespace(namespace(), change).await.unwrap();
    for until in [None, Some(begun.plus(-5_000))] {
        store.set_aside(namespace(), 3, Aside { owner: Name::EMPTY, until }).await.unwrap();
    }
    let mut given = Vec::new();
    for n in 1..=4 {
        // The first two windows are over when the others ask.
        clock.set(begun.plus(if n < 3 { 0 } else { 10_000 }));
        let grant = store.acquire(acquire(n)).await;
        given.push(grant.unwrap_or_else(|why| panic!("{back_end}, request {n}: {why}")).worker);
    }
    assert_eq!(given, [0, 1, 0, 1], "{back_end}");
}

//! The suite over real databases, each started for this test alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leafid_core::Token;
use leafid_servers::{Etcd, Mariadb, Postgres, Server, Zookeeper, for_test};
use leafid_store::backends::opening::Options;
use leafid_store::clock::ManualClock;
use leafid_store::opening::Place;
use leafid_store::registry::Registry;
use tokio::runtime::{Handle, Runtime};

use crate::conforms;
use crate::ranges::{leases_end_with_the_range, outside_is_passed_by};

fn open_at(url: &str, id: Token, clock: Arc<ManualClock>) -> Arc<Registry> {
    let options = Options { create: true, id: Some(id), own_clock: true, ..Options::default() };
    let place = Place::parse(url).expect("a store's URL").expect("a good one");
    // As `leafid serve` does.
    let here = Handle::current();
    Arc::new(place.open(Some(&here), clock, &options).expect("the store opens"))
}

fn name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("conforms{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn passes<S: Server>(has_tables: bool) {
    let Some(server) = for_test::<S>() else { return };
    let runtime = Runtime::new().unwrap();
    let _inside = runtime.enter();
    let open = |_: &Path, id, clock| open_at(&server.fresh(&name()), id, clock);
    conforms(&runtime, S::NAME, open);
    leases_end_with_the_range(&runtime, S::NAME, open);
    if has_tables {
        runtime.block_on(outside_is_passed_by(S::NAME, open));
    }
}

#[test]
fn databases_give_what_the_vectors_say() {
    passes::<Postgres>(true);
    passes::<Mariadb>(true);
}

#[test]
fn key_value_stores_give_what_the_vectors_say() {
    passes::<Etcd>(false);
    passes::<Zookeeper>(false);
}

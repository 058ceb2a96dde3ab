//! The suite over real key-value stores, each started for this test alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leafid_core::Token;
use leafid_server::backends::clock::Source;
use leafid_server::backends::opening::Options;
use leafid_server::backends::opening::Terms;
use leafid_server::clock::ManualClock;
use leafid_server::opening::database::Database;
use leafid_server::store::SharedStore;
use leafid_servers::{Etcd, Server, Zookeeper, for_test};
use tokio::runtime::Handle;

use crate::conforms;
use crate::patterns::makes_tags;
use crate::ranges::leases_end_with_the_range;

/// Opens an empty store below a path of its own.
fn open<S: Server>(server: &S, id: Token, clock: Arc<ManualClock>) -> SharedStore {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let url = format!("{}/conforms{}", server.url(), NEXT.fetch_add(1, Ordering::Relaxed));
    let options = Options { create: true, id: Some(id), ..Options::default() };
    let terms = Terms { options, allow_unsafe: false, source: Source::Given(clock.clone()) };
    let database = Database::parse(&url).expect("a store's URL").expect("a good one");
    // As `leafid serve` does.
    let here = Handle::current();
    Arc::new(database.open_on(Some(&here), clock, &terms).expect("the store opens"))
}

async fn passes<S: Server>() {
    let Some(server) = for_test::<S>() else { return };
    let open = |_: &Path, id, clock| open(&server, id, clock);
    conforms(S::NAME, open).await;
    leases_end_with_the_range(S::NAME, open).await;
    makes_tags(S::NAME, open).await;
}

#[tokio::test]
async fn etcd_gives_what_the_vectors_say() {
    passes::<Etcd>().await;
}

#[tokio::test]
async fn zookeeper_gives_what_the_vectors_say() {
    passes::<Zookeeper>().await;
}

//! The suite over real servers, each started for this test alone.

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
use leafid_servers::{Databases, Mariadb, Postgres, for_test};
use tokio::runtime::Handle;

use crate::conforms;
use crate::patterns::makes_tags;
use crate::ranges::{leases_end_with_the_range, outside_is_passed_by};

/// Opens an empty store in a database of its own.
fn open<S: Databases>(server: &S, id: Token, clock: Arc<ManualClock>) -> SharedStore {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("conforms{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let url = server.make_database(&name).expect("a database");
    let options = Options { create: true, id: Some(id), ..Options::default() };
    let terms = Terms { options, allow_unsafe: false, source: Source::Given(clock.clone()) };
    let database = Database::parse(&url).expect("a database's URL").expect("a good one");
    // As `leafid serve` does.
    let here = Handle::current();
    Arc::new(database.open_on(Some(&here), clock, &terms).expect("the store opens"))
}

async fn passes<S: Databases>() {
    let Some(server) = for_test::<S>() else { return };
    let open = |_: &Path, id, clock| open(&server, id, clock);
    conforms(S::NAME, open).await;
    leases_end_with_the_range(S::NAME, open).await;
    makes_tags(S::NAME, open).await;
    outside_is_passed_by(S::NAME, open).await;
}

#[tokio::test]
async fn postgres_gives_what_the_vectors_say() {
    passes::<Postgres>().await;
}

#[tokio::test]
async fn mariadb_gives_what_the_vectors_say() {
    passes::<Mariadb>().await;
}

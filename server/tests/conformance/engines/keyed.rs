//! The suite over real key-value stores, each started for this test alone.

use std::path::Path;

use leafid_servers::{Etcd, Server, Zookeeper, for_test};

use super::{name, open_at};
use crate::conforms;
use crate::ranges::leases_end_with_the_range;

async fn passes<S: Server>() {
    let Some(server) = for_test::<S>() else { return };
    let open = |_: &Path, id, clock| open_at(&format!("{}/{}", server.url(), name()), id, clock);
    conforms(S::NAME, open).await;
    leases_end_with_the_range(S::NAME, open).await;
}

#[tokio::test]
async fn key_value_stores_give_what_the_vectors_say() {
    passes::<Etcd>().await;
    passes::<Zookeeper>().await;
}

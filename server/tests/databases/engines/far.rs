//! A database that is far away: each answer takes a while to arrive.

use std::sync::atomic::Ordering;

use leafid_servers::{Databases, Mariadb, Proxy, Server, for_test};
use serde_json::json;

use crate::serve;
use crate::support::{says, until};

const AWAY_MS: u64 = 25;
/// Enough tags that, read one by one, they take longer than the time-out of an answer.
const TAGS: usize = 210;

/// After each interruption the server compares every tag that it leased from with its row.
#[test]
fn a_server_with_many_tags_comes_back_to_a_mariadb_that_is_far_away() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let proxy = Proxy::to(server.port());
    let url = server.fresh("far");
    says(&url, &["init"]);
    let rows: Vec<String> = (0..TAGS).map(|n| format!("('tag{n}', 1, 10, 1000000, 0)")).collect();
    let insert = "INSERT INTO tags (tag, max_id, step, max_step, deleted) VALUES";
    server.run("far", &format!("{insert} {}", rows.join(","))).expect("rows");
    let serving = serve(&proxy.through(&url), &[]);
    let lease = |n: usize| serving.lease(&format!("tag{n}"), &json!({}));
    let leases = |n| until(|| (lease(n).0 == 200).then_some(())).expect("a lease");
    (0..TAGS).for_each(leases);
    proxy.away.store(AWAY_MS, Ordering::Relaxed);
    proxy.cut();
    leases(0);
    serving.logs(&["WARN", "the connection is lost"]);
    serving.ready(200, &["\"ok\""]);
}

//! Worker numbers that leave the range of their namespace, and come back.

use std::collections::BTreeSet;

use crate::support::{Answer, Server, request};
use serde_json::{Value, json};

/// A server with a namespace whose numbers 0 to 3 were all handed out and given back; `keeper`
/// keeps 3.
fn all_used() -> Server {
    let server = Server::fresh();
    range(&server, 0, 4);
    for worker in 0..4 {
        let grant = acquire(&server, worker, "keeper", worker == 3).ok();
        assert_eq!(grant["worker"], worker);
        give_back(&server, worker, &grant);
    }
    server
}

fn range(server: &Server, start: u32, end: u32) {
    let workers = json!({ "workers": { "start": start, "end": end } });
    server.put("/v1/namespaces/ns", &workers.to_string()).ok();
}

fn acquire(server: &Server, n: u64, owner: &str, sticky: bool) -> Answer {
    let ask = json!({ "request": request(n), "owner": owner, "sticky": sticky });
    server.post("/v1/workers/ns/acquire", &ask.to_string())
}

fn give_back(server: &Server, n: u64, grant: &Value) {
    let release = json!({ "worker": grant["worker"], "key": request(n), "store": grant["store"],
        "unused_from": grant["start"] });
    server.post("/v1/workers/ns/release", &release.to_string()).ok();
}

fn revoke(server: &Server, worker: u32) -> Answer {
    server.post(&format!("/v1/workers/ns/{worker}/release"), "{}")
}

/// Acquires until there is no number any more: which ones there were.
fn free_numbers(server: &Server, first: u64) -> BTreeSet<u64> {
    let asks = first..first + 10;
    let given = asks.map(|n| acquire(server, n, "taker", false));
    given
        .take_while(|answer| answer.code() != "WORKERS_EXHAUSTED")
        .map(|answer| answer.ok()["worker"].as_u64().unwrap())
        .collect()
}

/// Who has a number, and whether for its own.
fn whose(server: &Server, worker: usize) -> (Value, Value) {
    let mut row = server.get("/v1/workers/ns").ok()["workers"][worker].take();
    (row["owner"].take(), row["sticky"].take())
}

#[test]
fn an_operator_releases_a_number_that_left_the_range() {
    let server = all_used();
    assert_eq!(whose(&server, 3), (json!("keeper"), json!(true)));
    // It is nobody's as soon as it has left.
    range(&server, 0, 3);
    assert_eq!(whose(&server, 3), (json!(""), json!(false)));
    revoke(&server, 3).ok();
    assert_eq!(whose(&server, 3), (json!(""), json!(false)));

    // A number that was never handed out has nothing to release; outside the range it is a mistake.
    range(&server, 0, 5);
    revoke(&server, 4).ok();
    for outside in [5, 1_023, 1_024, u32::MAX] {
        assert_eq!(revoke(&server, outside).code(), "WORKER_INVALID", "{outside}");
    }
    // Nor does one that was held keep its owner.
    let held = acquire(&server, 20, "taker", true).ok()["worker"].as_u64().unwrap();
    assert_eq!(whose(&server, held as usize), (json!("taker"), json!(true)));
    revoke(&server, held as u32).ok();
    assert_eq!(whose(&server, held as usize), (json!(""), json!(false)));
}

#[test]
fn a_number_outside_the_range_is_given_to_nobody_until_it_is_back() {
    let server = all_used();
    range(&server, 1, 3);
    assert_eq!(free_numbers(&server, 10), BTreeSet::from([1, 2]));
    range(&server, 0, 6);
    // Nobody keeps 3 since it left; 4 and 5 were never used.
    assert_eq!(free_numbers(&server, 20), BTreeSet::from([0, 3, 4, 5]));
}

//! A request that is dropped because its caller hung up before its turn.

use std::path::Path;

use crate::support::{JSON, Server, hangs_up, message, request};
use serde_json::json;

#[test]
fn a_caller_that_hangs_up_is_given_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let server = Server::start(&file);
    // On a busy machine the server may write before it notices the hang-up: try again.
    let given_nothing = |turn: &u64| is_given_nothing(&server, &file, &format!("ns{turn}"), *turn);
    assert!((0..20).any(|turn| given_nothing(&turn)), "a caller that is gone is given a number");
}

/// Whether a caller that hung up while waiting got nothing, so that the next one gets the first number.
fn is_given_nothing(server: &Server, file: &Path, namespace: &str, turn: u64) -> bool {
    server.put(&format!("/v1/namespaces/{namespace}"), "{}").ok();
    let body = |n: u64| json!({ "request": request(2 * turn + n), "owner": "o" }).to_string();
    let acquire = format!("/v1/workers/{namespace}/acquire");
    let asked = message(&format!("POST {acquire}"), &[JSON], &body(1));
    let hung_up = hangs_up(&server.address.to_string(), file, &asked);

    let grant = server.post(&acquire, &body(2)).ok();
    let rows = server.get(&format!("/v1/workers/{namespace}")).ok();
    hung_up && grant["worker"] == 0 && rows["workers"].as_array().map(Vec::len) == Some(1)
}

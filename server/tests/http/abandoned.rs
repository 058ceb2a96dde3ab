//! A request that is dropped because its caller hung up before its turn.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::path::Path;
use std::time::Duration;

use crate::support::{JSON, LATE, Server, message, request};
use serde_json::json;

/// How long the caller waits: less than the server waits for the other process.
const PATIENCE: Duration = Duration::from_millis(500);

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

    // While another process writes, the server waits.
    let other = rusqlite::Connection::open(file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut caller = server.connect();
    let acquire = format!("/v1/workers/{namespace}/acquire");
    let asked = message(&format!("POST {acquire}"), &[JSON], &body(1));
    caller.write_all(asked.as_bytes()).unwrap();
    let mut answer = Vec::new();
    caller.set_read_timeout(Some(PATIENCE)).unwrap();
    caller.read_to_end(&mut answer).unwrap_err();
    caller.shutdown(Shutdown::Write).unwrap();
    // The server closes the connection too: it has noticed.
    caller.set_read_timeout(Some(LATE)).unwrap();
    caller.read_to_end(&mut answer).unwrap();
    other.execute_batch("ROLLBACK").unwrap();

    let grant = server.post(&acquire, &body(2)).ok();
    let rows = server.get(&format!("/v1/workers/{namespace}")).ok();
    // An answer came first if this machine hung up too late.
    let hung_up = answer.is_empty();
    hung_up && grant["worker"] == 0 && rows["workers"].as_array().map(Vec::len) == Some(1)
}

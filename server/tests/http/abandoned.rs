//! A request whose caller hung up before its turn came.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::support::{Server, request};
use serde_json::json;

/// So long the caller waits: less than the server waits for the other process.
const PATIENCE: Duration = Duration::from_millis(500);

#[test]
fn a_caller_that_hangs_up_is_given_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let server = Server::start(&file);
    server.put("/v1/namespaces/ns", "{}").ok();
    let body = |n: u64| json!({ "request": request(n), "owner": "o" }).to_string();

    // While another process writes, nothing is done here.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut caller = TcpStream::connect(server.address).unwrap();
    let body_of_one = body(1);
    let length = body_of_one.len();
    let text = format!(
        "POST /v1/workers/ns/acquire HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body_of_one}",
        server.address
    );
    caller.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    caller.set_read_timeout(Some(PATIENCE)).unwrap();
    caller.read_to_end(&mut answer).unwrap_err();
    caller.shutdown(Shutdown::Write).unwrap();
    // The server hangs up too: it has noticed.
    caller.set_read_timeout(None).unwrap();
    caller.read_to_end(&mut answer).unwrap();
    other.execute_batch("ROLLBACK").unwrap();

    let grant = server.post("/v1/workers/ns/acquire", &body(2)).ok();
    assert_eq!(grant["worker"], 0, "the number of a caller that is gone: {grant}");
    let rows = server.get("/v1/workers/ns").ok();
    assert_eq!(rows["workers"].as_array().map(Vec::len), Some(1), "{rows}");
}

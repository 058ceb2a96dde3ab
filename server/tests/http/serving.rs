//! A running server hands out each number once, durably, and releases its windows when it ends.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use leafid_server::app::Config;
use leafid_store::backends::opening::Options;
use leafid_store::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::support::{Answer, JSON, LATE, Server, message, number, request, until};

fn store() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    (folder, file)
}

fn lease(server: &Server, n: u64) -> (u64, u64) {
    let grant = server.lease(n, &json!({})).ok();
    assert_eq!(grant["request"], request(n));
    (number(&grant["start"]), number(&grant["end"]))
}

fn acquire(server: &Server, namespace: &str, n: u64) -> Answer {
    let body = json!({ "request": request(n), "owner": format!("o{n}") }).to_string();
    server.post(&format!("/v1/workers/{namespace}/acquire"), &body)
}

#[test]
fn snowflake_ids_ascend_and_decode() {
    let server = Server::fresh();
    let mut ids = Vec::new();
    for count in [1, 10_000, 3, 7_000] {
        let body = format!("{{\"count\":{count}}}");
        ids.extend(server.post("/v1/snowflake/default/ids", &body).ids());
    }
    assert_eq!(ids.len(), 17_004);
    assert!(ids.is_sorted_by(|a, b| a < b));
    let before = SystemClock.wall().get();
    let parts = server.get(&format!("/v1/decode/{}", ids[0])).ok();
    assert_eq!(parts["worker"], 0);
    assert!((parts["time_ms"].as_i64().unwrap() - before).abs() < 60_000, "{parts}");
    assert!(parts["time"].as_str().unwrap().starts_with("20"), "{parts}");
    assert_eq!(parts["layout"]["sequence_bits"], 12);
}

#[test]
fn more_than_a_lease_may_have_is_gathered() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":1,"max_step":7}"#).ok();
    let ids = server.post("/v1/segments/orders/ids", r#"{"count":100}"#).ids();
    assert_eq!(ids.len(), 100);
    assert!(ids.is_sorted_by(|a, b| a < b));
}

#[test]
fn a_stop_gives_windows_back_and_a_start_goes_on_above() {
    let (_folder, file) = store();
    let server = Server::start(&file);
    server.put("/v1/tags/orders", r#"{"step":10}"#).ok();
    let space = r#"{"layout":"leaf","workers":{"start":0,"end":1}}"#;
    server.put("/v1/namespaces/one", space).ok();
    assert_eq!(lease(&server, 1), (1, 11));
    let first = server.post("/v1/snowflake/one/ids", r#"{"count":100}"#).ids();
    let taken = acquire(&server, "one", 2);
    taken.refused(503, "WORKERS_EXHAUSTED");
    assert!(taken.headers.contains("retry-after: "), "{}", taken.headers);
    assert!(taken.json["retry_after_ms"].as_u64().unwrap() <= 10_000);
    assert!(taken.json["detail"].as_str().unwrap().contains("the first is free in "));
    assert!(taken.json["free_at_ms"].as_i64().unwrap() > SystemClock.wall().get());
    server.stop().unwrap();

    let server = Server::start(&file);
    assert_eq!(lease(&server, 3), (11, 21));
    // The only worker number is free again before its window would have ended.
    let second = server.post("/v1/snowflake/one/ids", r#"{"count":100}"#).ids();
    assert!(second[0] > first[99]);
    let workers = server.get("/v1/workers/one").ok();
    assert_eq!(workers["workers"][0]["held"], true);
    assert!(workers["workers"][0]["key"].is_null(), "a listing never shows a key");
}

#[test]
fn a_request_under_way_at_a_stop_is_answered() {
    let config = Config { drain: LATE, ..Config::default() };
    let server = Server::fresh_with(Options::default(), config);
    server.put("/v1/tags/orders", "{}").ok();
    let mut under_way = server.connect();
    let body = r#"{"count":10}"#;
    let headers = [JSON, ("content-length", "12"), ("expect", "100-continue")];
    let head = message("POST /v1/segments/orders/ids", &headers, "");
    under_way.write_all(head.as_bytes()).unwrap();
    let mut goes_on = [0; 25];
    under_way.read_exact(&mut goes_on).unwrap();
    assert_eq!(&goes_on, b"HTTP/1.1 100 Continue\r\n\r\n", "it waits for the body");
    let address = server.address;
    std::thread::scope(|scope| {
        let stop = scope.spawn(|| server.stop());
        until(|| TcpStream::connect(address).is_err());
        under_way.write_all(body.as_bytes()).unwrap();
        let answer = Answer::read(&mut BufReader::new(under_way)).unwrap();
        assert_eq!(answer.ids(), (1..11).collect::<Vec<_>>());
        stop.join().unwrap().unwrap();
    });
}

#[test]
fn a_request_waits_for_a_while_and_is_then_told_why() {
    let config = Config { patience: Duration::from_millis(300), ..Config::default() };
    let server = Server::fresh_with(Options::default(), config);
    let space = r#"{"layout":"leaf","workers":{"start":0,"end":1}}"#;
    server.put("/v1/namespaces/one", space).ok();
    acquire(&server, "one", 1).ok();
    let begun = Instant::now();
    let answer = server.post("/v1/snowflake/one/ids", r#"{"count":1}"#);
    answer.refused(503, "WORKERS_EXHAUSTED");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    // An operator releases the number; its window still has to run out first.
    server.post("/v1/workers/one/0/release", "{}").ok();
    let workers = server.get("/v1/workers/one").ok();
    assert_eq!(workers["workers"][0]["held"], false);
    assert_eq!(acquire(&server, "one", 2).code(), "WORKERS_EXHAUSTED");
}

#[test]
fn a_tag_that_is_made_after_it_was_asked_for_serves_at_once() {
    let server = Server::fresh();
    let ids = || server.post("/v1/segments/orders/ids", r#"{"count":2}"#);
    assert_eq!(ids().code(), "TAG_UNKNOWN");
    server.put("/v1/tags/orders", r#"{"from":"5000001","step":10}"#).ok();
    assert_eq!(ids().ids(), [5_000_001, 5_000_002]);
    // A deleted tag hands out nothing more, not even its reserve; a new one goes on above.
    server.send("DELETE", "/v1/tags/orders", &[], "").ok();
    assert_eq!(ids().code(), "TAG_UNKNOWN");
    server.put("/v1/tags/orders", "{}").ok();
    assert!(ids().ids()[0] > 5_000_002);
}

#[test]
fn tags_are_created_once_changed_and_listed() {
    let server = Server::fresh();
    let only = [JSON, ("if-none-match", "*")];
    for n in 0..25 {
        server.send("PUT", &format!("/v1/tags/t{n:02}"), &only, "{}").ok();
    }
    let present = [JSON, ("if-match", "*")];
    let changed = server.send("PUT", "/v1/tags/t00", &present, r#"{"step":7}"#).ok();
    assert_eq!((&changed["step"], &changed["max_step"]), (&json!(7), &json!(1_000_000)));
    assert_eq!(server.get("/v1/tags/t00").ok(), changed);
    let (mut after, mut seen) = (String::new(), Vec::new());
    loop {
        let page = server.get(&format!("/v1/tags?limit=10&after={after}")).ok();
        let Value::Array(rows) = &page["tags"] else { panic!("{page}") };
        let Some(last) = rows.last() else { break };
        assert!(rows.len() <= 10);
        after = last["tag"].as_str().unwrap().to_owned();
        seen.extend(rows.iter().map(|row| row["tag"].as_str().unwrap().to_owned()));
    }
    assert_eq!(seen, (0..25).map(|n| format!("t{n:02}")).collect::<Vec<_>>());
}

/// Before its first window anything may change; after it, only what no window depends on.
#[test]
fn a_namespace_changes_as_far_as_it_may() {
    let server = Server::fresh();
    let put = |body: &str| server.put("/v1/namespaces/n", body).ok();
    let four = json!({ "start": 0, "end": 4 });
    put(r#"{"layout":"leaf"}"#);
    let js53 = r#"{"layout":"js53","workers":{"start":0,"end":4}}"#;
    let made = put(js53);
    assert_eq!(made["workers"], four);
    let only = [JSON, ("if-none-match", "*")];
    assert_eq!(server.send("PUT", "/v1/namespaces/n", &only, js53).ok(), made);
    // A layout with more worker numbers leaves the ranges as they were.
    assert_eq!(put(r#"{"layout":"edge","max_window_ms":10000}"#)["workers"], four);
    acquire(&server, "n", 1).ok();
    put(r#"{"layout":"edge","workers":{"start":0,"end":4},"max_window_ms":10000}"#);
    put(r#"{"workers":{"start":0,"end":2}}"#);
    assert_eq!(acquire(&server, "n", 2).ok()["worker"], 1);
    assert_eq!(acquire(&server, "n", 3).code(), "WORKERS_EXHAUSTED");
    put(r#"{"workers":{"start":0,"end":3}}"#);
    assert_eq!(acquire(&server, "n", 3).ok()["worker"], 2);
}

#[test]
fn in_development_the_first_use_creates() {
    let options = Options { first_use: true, ..Options::default() };
    let server = Server::fresh_with(options, Config::default());
    assert_eq!(server.post("/v1/segments/any/ids", r#"{"count":1}"#).ids(), [1]);
    assert_eq!(lease(&server, 1).0, 1);
    let body = json!({ "request": request(2), "owner": "o", "layout": "edge" }).to_string();
    let grant = server.post("/v1/workers/any/acquire", &body).ok();
    assert_eq!(grant["layout"]["worker_bits"], 16);
    assert_eq!(server.post("/v1/snowflake/any/ids", r#"{"count":3}"#).ids().len(), 3);
    // A tag that was deleted on purpose stays deleted.
    server.send("DELETE", "/v1/tags/any", &[], "").ok();
    assert_eq!(server.post("/v1/segments/any/ids", r#"{"count":1}"#).code(), "TAG_UNKNOWN");
}

#[test]
fn requests_that_fail_together_are_all_told_why() {
    let server = Server::fresh();
    let codes: Vec<String> = std::thread::scope(|scope| {
        let ask = || server.post("/v1/segments/orders/ids", r#"{"count":1}"#).code().to_owned();
        let clients: Vec<_> = (0..32).map(|_| scope.spawn(ask)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert_eq!(codes, vec!["TAG_UNKNOWN"; 32]);
}

//! What an operator reads in the log.

use std::process::Command;

use serde_json::json;

use crate::support::{LEAFID, Serving, fails, says};

const STORE: &str = "ffffffffffffffffffffffffffffffff";
const REQUEST: &str = "0123456789abcdef0123456789abcdef";

fn id_of(serving: &Serving) -> String {
    let id = serving.get("/readyz").1["store"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 32);
    id
}

#[test]
fn start_and_stop_have_a_line_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut serving = Serving::start(&file);
    let address = serving.url.strip_prefix("http://").unwrap();
    let line =
        serving.logs(&[" INFO started", env!("CARGO_PKG_VERSION"), address, &id_of(&serving)]);
    assert!(line.starts_with("20"), "a line has the time: {line}");
    serving.end("-TERM");
    serving.logs(&[" INFO stopping"]);
    serving.logs(&[" INFO stopped"]);

    let mut command = Command::new(LEAFID);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]).arg(&file);
    let mut serving = Serving::spawn(command.env("LEAFID_LOG", "error"));
    serving.end("-TERM");
    assert_eq!(serving.log(), "");
    let wrong = fails("http://127.0.0.1:9", &["serve", "--log", "loud"], 2);
    assert!(wrong.contains("off, error, warn"), "{wrong}");
}

#[test]
fn a_failed_commit_is_told_once_a_second_with_how_many_there_were() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut serving = Serving::start(&file);
    says(&serving.url, &["tag", "create", "orders"]);
    // Another program keeps the file.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let ask = json!({ "request": REQUEST });
                let (status, body) = serving.post("/v1/segments/orders/lease", &ask);
                assert_eq!((status, &body["code"]), (503, &json!("STORE_UNAVAILABLE")));
            });
        }
    });
    let most = begun.elapsed().as_secs() as usize + 1;
    other.execute_batch("ROLLBACK").unwrap();
    serving.logs(&["ERROR not committed", "STORE_UNAVAILABLE", "locked"]);
    let line = serving.logs(&[" WARN request{request_id=", "request failed", "503", "locked"]);
    assert!(line.contains("/v1/segments/orders/lease"), "{line}");
    assert!(line.contains("caller=api/127.0.0.1:"), "{line}");
    let (status, _) = serving.post("/v1/segments/orders/lease", &json!({ "request": REQUEST }));
    assert_eq!(status, 200);
    serving.end("-TERM");
    let log = serving.log();
    for kind in ["not committed", "request failed"] {
        let lines = log.matches(kind).count();
        assert!((1..=most).contains(&lines), "{lines} lines of 20 in {most} s:\n{log}");
    }
    assert!(!log.contains(REQUEST), "an acquire's request id is the key of its lease:\n{log}");
}

#[test]
fn lost_grants_and_a_second_store_are_told_loudly() {
    let folder = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(&folder.path().join("store.db"));
    let store = id_of(&serving);
    says(&serving.url, &["tag", "create", "orders"]);

    let ask = json!({ "request": REQUEST, "have_until": "777001" });
    let (status, body) = serving.post("/v1/segments/orders/lease", &ask);
    assert_eq!((status, &body["code"]), (409, &json!("STORE_WENT_BACK")), "{body}");
    let id = body["request_id"].as_str().unwrap();
    let told = format!("ERROR request{{request_id={id}}}: STORE_WENT_BACK");
    serving.logs(&[&told, "tag=orders", "have_until=777001", "max_id=1"]);

    let ask = json!({ "request": REQUEST, "owner": "o" });
    let (_, grant) = serving.post("/v1/workers/default/acquire", &ask);
    let end: u64 = grant["end"].as_str().unwrap().parse().unwrap();
    let ask = json!({ "request": REQUEST, "store": store, "worker": 0, "key": REQUEST,
                      "have_until": (end + 5).to_string() });
    let (status, body) = serving.post("/v1/workers/default/renew", &ask);
    assert_eq!((status, &body["code"]), (409, &json!("STORE_WENT_BACK")), "{body}");
    let (have, stands) = (format!("have_until={}", end + 5), format!("reserved_until={end}"));
    serving.logs(&["STORE_WENT_BACK", "namespace=default", "worker=0", &have, &stands]);

    let ask = json!({ "request": REQUEST, "store": STORE });
    let (status, body) = serving.post("/v1/segments/orders/lease", &ask);
    assert_eq!((status, &body["code"]), (409, &json!("STORE_CHANGED")), "{body}");
    serving.logs(&["STORE_CHANGED", "tag=orders", STORE, &store]);
    serving.end("-TERM");
    assert!(!serving.log().contains(REQUEST), "{}", serving.log());
}

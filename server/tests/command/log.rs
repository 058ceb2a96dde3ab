//! The server's log, as an operator reads it.

use serde_json::json;

use crate::support::{Home, REQUEST, Serving, agent, fails, has, play, refusal, says, served};

const STORE: &str = "ffffffffffffffffffffffffffffffff";

fn id_of(serving: &Serving) -> String {
    let id = serving.get("/readyz").1["store"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 32);
    id
}

#[test]
fn start_and_stop_have_a_line_each() {
    let home = Home::new();
    let mut serving = home.serve(&[]);
    let address = serving.url.strip_prefix("http://").unwrap();
    let line =
        serving.logs(&[" INFO started", env!("CARGO_PKG_VERSION"), address, &id_of(&serving)]);
    assert!(line.starts_with("20"), "a line has the time: {line}");
    serving.end("-TERM");
    serving.logs(&[" INFO stopping"]);
    serving.logs(&[" INFO stopped"]);

    let mut serving = Serving::spawn(home.command(&[]).env("LEAFID_LOG", "error"));
    serving.end("-TERM");
    assert_eq!(serving.log(), "");
    play("http://127.0.0.1:9", "serve --log loud =2 invalid value 'loud'");
}

/// An unread log pipe must not stop the server when it is full, at 64 KB.
#[test]
fn a_log_that_nobody_reads_stops_no_server() {
    let home = Home::new();
    let unheard = || Serving::unheard(&mut home.command(&["--log", "debug"]));
    let asked = |serving: &Serving, often: u32| {
        let path = format!("/v1/tags/{}", "a".repeat(3_000));
        for _ in 0..often {
            assert_eq!(serving.get(&path).0, 400);
        }
    };
    let (mut serving, pipe) = unheard();
    says(&serving.url, &["tag", "create", "orders"]);
    // More than the pipe and the queue before it hold.
    asked(&serving, 150);
    let (status, _) = serving.lease("orders", &json!({}));
    assert_eq!(status, 200);
    // A later reader gets whole lines, and a count of those left out.
    serving.hear(pipe);
    serving.logs(&[" WARN ", "were left out", "left_out="]);
    assert!(serving.log().lines().all(|line| line.starts_with("20")), "{}", serving.log());
    assert_eq!(serving.end("-TERM").0, Some(0));
    serving.logs(&[" INFO stopped"]);

    let (mut serving, pipe) = unheard();
    asked(&serving, 40);
    assert_eq!(serving.end("-TERM").0, Some(0));
    drop(pipe);
}

#[test]
fn a_failed_commit_is_told_once_a_second_with_how_many_there_were() {
    let home = Home::new();
    let mut serving = home.serve(&[]);
    says(&serving.url, &["tag", "create", "orders"]);
    let other = rusqlite::Connection::open(&home.store).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let (status, body) = serving.lease("orders", &json!({}));
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
    assert_eq!(served(serving.lease("orders", &json!({})))["start"], "1", "nothing was moved");
    serving.end("-TERM");
    let log = serving.log();
    for kind in ["not committed", "request failed"] {
        let lines = log.matches(kind).count();
        assert!((1..=most).contains(&lines), "{lines} lines of 20 in {most} s:\n{log}");
    }
    assert!(!log.contains(REQUEST), "an acquire's request id is the key of its lease:\n{log}");
}

#[test]
fn a_second_store_behind_the_name_is_told_loudly() {
    let serving = Serving::fresh();
    says(&serving.url, &["tag", "create", "orders"]);
    refusal(serving.lease("orders", &json!({ "store": STORE })), 409, "STORE_CHANGED");
    serving.logs(&["STORE_CHANGED", "tag=orders", STORE, &id_of(&serving)]);
}

#[test]
fn a_log_in_json_has_the_same_fields_as_one_in_text() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let mut logs = Vec::new();
    for format in ["text", "json"] {
        let home = Home::new();
        let mut serving = home.serve(&["--log-format", format]);
        let url = format!("{}/v1/tags/orders", serving.url);
        let put = agent().put(&url).header("content-type", "application/json");
        put.header("traceparent", &parent).header("x-request-id", "web-7").send("{}").unwrap();
        serving.end("-TERM");
        logs.push(serving.log());
    }
    let text = logs[0].lines().find(|line| line.contains("audit: create tag")).unwrap();
    let trace = format!("trace_id=\"{TRACE}\" span_id=\"00f067aa0ba902b7\"");
    for field in
        ["request_id=web-7 ", &trace, " caller=api/127.0.0.1:", " before=none ", " after={"]
    {
        assert!(text.contains(field), "{field}: {text}");
    }
    let lines: Vec<serde_json::Value> =
        logs[1].lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    for line in &lines {
        for field in ["timestamp", "level", "message"] {
            assert!(line[field].is_string(), "{field}: {line}");
        }
    }
    let is_audit = |line: &&serde_json::Value| {
        line["message"].as_str().is_some_and(|text| text == "audit: create tag `orders`")
    };
    let audit = lines.iter().find(is_audit).unwrap();
    assert_eq!((&audit["level"], &audit["before"]), (&json!("INFO"), &json!("none")));
    assert!(audit["caller"].as_str().unwrap().starts_with("api/127.0.0.1:"), "{audit}");
    assert!(audit["after"].as_str().unwrap().contains("\"max_id\":\"1\""), "{audit}");
    let span = &audit["span"];
    assert_eq!((&span["request_id"], &span["trace_id"]), (&json!("web-7"), &json!(TRACE)));
    assert_eq!(span["span_id"], "00f067aa0ba902b7");
    has(&fails("http://127.0.0.1:9", &["serve", "--log-format", "xml"], 2), &["text, json"]);
}

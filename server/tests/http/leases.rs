//! How many numbers a lease takes.

use serde_json::json;

use crate::support::{Server, number, request};

#[test]
fn a_lease_is_as_large_as_its_caller_waits_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    server.put("/v1/tags/orders", r#"{"step":10,"max_step":500}"#).ok();
    let (mut next, mut asked) = (1, 0);
    for (fields, takes) in [
        (json!({}), 10),
        (json!({ "at_least": 1 }), 10),
        (json!({ "at_least": 10 }), 10),
        (json!({ "at_least": 11 }), 11),
        (json!({ "at_least": 500 }), 500),
        // So many can never be had at once: the tag's own step, not all that may be had.
        (json!({ "at_least": 501 }), 10),
        (json!({ "at_least": 4_294_967_295_u32 }), 10),
        (json!({ "at_least": 300, "step": 20 }), 300),
        (json!({ "at_least": 15, "step": 20 }), 20),
        (json!({ "at_least": 501, "step": 20 }), 20),
        (json!({ "at_least": 300, "step": 9_999 }), 500),
        (json!({ "at_least": null }), 10),
    ] {
        asked += 1;
        let mut body = fields.clone();
        body["request"] = request(asked).into();
        let grant = server.post("/v1/segments/orders/lease", &body.to_string()).ok();
        let (start, end) = (number(&grant["start"]), number(&grant["end"]));
        assert_eq!((start, end - start), (next, takes), "{fields}");
        assert_eq!((&grant["step"], &grant["max_step"]), (&json!(10), &json!(500)));
        next = end;
    }
}

#[test]
fn to_wait_for_none_is_a_mistake_and_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    server.put("/v1/tags/orders", r#"{"step":10}"#).ok();
    let refused = |at_least: &str, code: &str, says: &str| {
        let body = format!("{{\"request\":\"{}\",\"at_least\":{at_least}}}", request(1));
        let answer = server.post("/v1/segments/orders/lease", &body);
        assert_eq!((answer.status, answer.code()), (400, code), "{answer:?}");
        assert!(answer.json["detail"].as_str().unwrap().contains(says), "{answer:?}");
    };
    refused("0", "COUNT_INVALID", "`at_least` must be 1 or more, got `0`");
    for malformed in ["-1", "4294967296", "1.5", "\"3\""] {
        refused(malformed, "REQUEST_INVALID", "`at_least`");
    }
    assert_eq!(server.get("/v1/tags/orders").ok()["max_id"], "1");
}

#[test]
fn the_end_of_a_line_is_given_though_more_was_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    server.put("/v1/tags/orders", r#"{"from":"9223372036854775800","step":1}"#).ok();
    let body = format!("{{\"request\":\"{}\",\"at_least\":100}}", request(1));
    let grant = server.post("/v1/segments/orders/lease", &body).ok();
    assert_eq!(
        (&grant["start"], &grant["end"]),
        (&json!("9223372036854775800"), &json!("9223372036854775807"))
    );
    assert_eq!(grant["remaining"], "0");
    let answer = server.post("/v1/segments/orders/lease", &body);
    assert_eq!((answer.status, answer.code()), (422, "TAG_SPENT"), "{answer:?}");
}

//! Where a tag ends, and what an operator does to it, over HTTP.

use serde_json::json;

use crate::support::{Server, number, request};

#[test]
fn a_tag_that_ends_says_so_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let made = server.put("/v1/tags/orders", r#"{"step":10,"until":"26"}"#).ok();
    assert_eq!((&made["until"], &made["remaining"]), (&json!("26"), &json!("25")));
    server.put("/v1/tags/whole", "{}").ok();
    assert_eq!(server.get("/v1/tags/orders").ok()["until"], "26");
    let listed = server.get("/v1/tags").ok();
    assert_eq!(listed["tags"][0]["until"], "26");
    assert!(listed["tags"][1].get("until").is_none(), "absent where there is none: {listed}");
    let whole = server.put("/v1/tags/orders", r#"{"until":"9223372036854775807"}"#).ok();
    assert!(whole.get("until").is_none(), "{whole}");
    for wrong in ["26", "\"x\"", "\"-1\"", "true", "{}"] {
        let answer = server.put("/v1/tags/orders", &format!("{{\"until\":{wrong}}}"));
        assert_eq!((answer.status, answer.code()), (400, "REQUEST_INVALID"), "{answer:?}");
    }
}

/// What could not be handed out whole is there for those who want less.
#[test]
fn single_numbers_are_handed_out_to_the_last_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    server.put("/v1/tags/orders", r#"{"step":10,"until":"36"}"#).ok();
    let ids = |count: u32| {
        let body = format!("{{\"count\":{count}}}");
        server.post("/v1/segments/orders/ids", &body)
    };
    let mut next = 1;
    let mut given = |count: u32| {
        let numbers = ids(count).ids();
        let expected: Vec<u64> = (next..next + u64::from(count)).collect();
        assert_eq!(numbers, expected);
        next += u64::from(count);
    };
    let spent = |count: u32| {
        let answer = ids(count);
        assert_eq!((answer.status, answer.code()), (422, "TAG_SPENT"), "{count}: {answer:?}");
    };
    spent(36);
    given(5);
    spent(31);
    given(20);
    spent(11);
    given(9);
    spent(2);
    given(1);
    spent(1);
    // Raised, it goes on at once.
    server.put("/v1/tags/orders", r#"{"until":"40"}"#).ok();
    given(4);
    spent(1);
}

#[test]
fn an_advance_moves_what_this_server_hands_out_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    server.put("/v1/tags/orders", r#"{"step":10}"#).ok();
    let next = || server.post("/v1/segments/orders/ids", r#"{"count":1}"#).ids()[0];
    assert_eq!(next(), 1);
    let advance = |body: &str| server.post("/v1/tags/orders/advance", body);
    let row = advance(r#"{"to":"5000"}"#).ok();
    assert_eq!((&row["tag"], &row["max_id"]), (&json!("orders"), &json!("5000")));
    assert_eq!(next(), 5_000);

    let back = advance(r#"{"to":"4999"}"#);
    assert_eq!((back.status, back.code()), (400, "RANGE_INVALID"), "{back:?}");
    assert!(number(&back.json["max_id"]) >= 5_010, "{back:?}");
    assert_eq!(back.json["to"], "4999");
    for wrong in ["{}", r#"{"to":5000}"#, r#"{"to":null}"#, r#"{"to":"5000","x":1}"#, "[]"] {
        let answer = advance(wrong);
        assert_eq!((answer.status, answer.code()), (400, "REQUEST_INVALID"), "{wrong}: {answer:?}");
    }
    let unknown = server.post("/v1/tags/ordres/advance", r#"{"to":"5"}"#);
    assert_eq!((unknown.status, unknown.code()), (404, "TAG_UNKNOWN"), "{unknown:?}");
    assert_eq!(server.get("/v1/tags/orders/advance").status, 405);
}

#[test]
fn exactly_so_many_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    server.put("/v1/tags/orders", r#"{"step":10,"max_step":50,"until":"61"}"#).ok();
    let lease = |n: u64, more: &str| {
        let body = format!("{{\"request\":\"{}\",{more}}}", request(n));
        server.post("/v1/segments/orders/lease", &body)
    };
    let grant = lease(1, "\"exactly\":50").ok();
    assert_eq!((&grant["start"], &grant["end"]), (&json!("1"), &json!("51")));
    let over = lease(2, "\"exactly\":51");
    assert_eq!((over.status, over.code()), (400, "COUNT_INVALID"), "{over:?}");
    assert_eq!(over.json["max_step"], 50);
    let spent = lease(3, "\"exactly\":11");
    assert_eq!((spent.status, spent.code()), (422, "TAG_SPENT"), "{spent:?}");
    assert_eq!((&spent.json["remaining"], &spent.json["until"]), (&json!("10"), &json!("61")));
    for both in ["\"exactly\":5,\"step\":5", "\"exactly\":5,\"at_least\":5"] {
        let answer = lease(4, both);
        assert_eq!((answer.status, answer.code()), (400, "REQUEST_INVALID"), "{answer:?}");
    }
    assert_eq!(lease(5, "\"exactly\":10").ok()["end"], "61", "nothing was leased by refusals");
}

#[test]
fn a_change_may_be_wanted_of_what_is_there_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let change = |tag: &str, only: &str| {
        let headers = [("content-type", "application/json"), ("if-match", only)];
        server.send("PUT", &format!("/v1/tags/{tag}"), &headers, r#"{"step":5}"#)
    };
    let unknown = change("orders", "*");
    assert_eq!((unknown.status, unknown.code()), (404, "TAG_UNKNOWN"), "{unknown:?}");
    assert_eq!(server.get("/v1/tags/orders").status, 404);
    server.put("/v1/tags/orders", "{}").ok();
    assert_eq!(change("orders", "*").ok()["step"], 5);
    let strange = change("orders", "\"abc\"");
    assert_eq!((strange.status, strange.code()), (400, "REQUEST_INVALID"), "{strange:?}");
}

//! A tag's upper end, and an operator's changes of tags, over HTTP.

use serde_json::json;

use crate::support::{Server, number};

/// Numbers too few for one request are still there for a smaller one.
#[test]
fn single_numbers_are_handed_out_to_the_last_and_none_is_lost() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":10,"until":"36"}"#).ok();
    let mut next = 1;
    for (count, there) in [
        (36, false),
        (5, true),
        (31, false),
        (20, true),
        (11, false),
        (9, true),
        (2, false),
        (1, true),
        (1, false),
        (4, true),
        (1, false),
    ] {
        if count == 4 {
            server.put("/v1/tags/orders", r#"{"until":"40"}"#).ok();
        }
        let answer = server.post("/v1/segments/orders/ids", &json!({ "count": count }).to_string());
        if there {
            assert_eq!(answer.ids(), (next..next + count).collect::<Vec<u64>>());
            next += count;
        } else {
            answer.refused(422, "TAG_SPENT");
        }
    }
}

#[test]
fn an_advance_moves_what_this_server_hands_out_too() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":10}"#).ok();
    let next = || server.post("/v1/segments/orders/ids", r#"{"count":1}"#).ids()[0];
    assert_eq!(next(), 1);
    let advance = |body: &str| server.post("/v1/tags/orders/advance", body);
    let row = advance(r#"{"to":"5000"}"#).ok();
    assert_eq!((&row["tag"], &row["max_id"]), (&json!("orders"), &json!("5000")));
    assert_eq!(next(), 5_000);
    let back = advance(r#"{"to":"4999"}"#);
    back.refused(400, "RANGE_INVALID");
    assert!(number(&back.json["max_id"]) >= 5_010, "{back:?}");
    assert_eq!(back.json["to"], "4999");
}

/// A refusal has its figures in fields of their own, and leases nothing.
#[test]
fn a_refused_lease_has_its_figures() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":10,"max_step":50,"until":"61"}"#).ok();
    assert_eq!(server.lease(1, &json!({ "exactly": 50 })).ok()["end"], "51");
    let over = server.lease(2, &json!({ "exactly": 51 }));
    over.refused(400, "COUNT_INVALID");
    assert_eq!(over.json["max_step"], 50);
    let spent = server.lease(3, &json!({ "exactly": 11 }));
    spent.refused(422, "TAG_SPENT");
    assert_eq!((&spent.json["remaining"], &spent.json["until"]), (&json!("10"), &json!("61")));
    assert_eq!(server.lease(5, &json!({ "exactly": 10 })).ok()["end"], "61");
}

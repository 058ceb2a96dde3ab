//! What a change of a namespace's layout is told.

use serde_json::json;

use crate::support::{Server, request};

#[test]
fn a_layout_keeps_the_numbers_that_were_named() {
    let server = Server::fresh();
    let both = r#"{"layout":"js53","workers":{"start":0,"end":256}}"#;
    let after = server.put("/v1/namespaces/default", both).ok();
    assert_eq!(after["workers"], json!({ "start": 0, "end": 256 }));
    // A layout with more of them leaves the numbers as they were.
    let after = server.put("/v1/namespaces/default", r#"{"layout":"edge"}"#).ok();
    assert_eq!(after["workers"], json!({ "start": 0, "end": 256 }));
}

#[test]
fn after_the_first_window_it_is_the_layout_that_is_refused() {
    let server = Server::fresh();
    let body = json!({ "request": request(1), "owner": "o" }).to_string();
    server.post("/v1/workers/default/acquire", &body).ok();
    for body in [
        r#"{"layout":"js53"}"#,
        r#"{"layout":"js53","workers":{"start":0,"end":256}}"#,
        r#"{"layout":"edge"}"#,
    ] {
        let detail = server.put("/v1/namespaces/default", body).refused(409, "LAYOUT_MISMATCH");
        for word in ["`default`", "41/10/12", "first window"] {
            assert!(detail.contains(word), "{body}: no {word}: {detail}");
        }
    }
    server.put("/v1/namespaces/default", r#"{"layout":"leaf"}"#).ok();
}

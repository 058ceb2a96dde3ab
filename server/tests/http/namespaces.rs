//! What a change of a namespace's layout is told.

use serde_json::json;

use crate::support::{Server, request};

fn detail(answer: &crate::support::Answer) -> &str {
    answer.json["detail"].as_str().unwrap_or("")
}

#[test]
fn a_layout_that_has_fewer_workers_is_refused_with_both_figures() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let before = server.get("/v1/namespaces/default").ok();
    assert_eq!(before["workers"], json!({ "start": 0, "end": 1024 }));
    let answer = server.put("/v1/namespaces/default", r#"{"layout":"js53"}"#);
    assert_eq!((answer.status, answer.code()), (400, "WORKER_INVALID"), "{answer:?}");
    for word in ["`default`", "0..1024", "0..256", "`workers`"] {
        assert!(detail(&answer).contains(word), "no {word}: {}", detail(&answer));
    }
    assert_eq!(server.get("/v1/namespaces/default").ok(), before, "nothing was changed");
    // The numbers that were named do not fit either.
    let both = r#"{"layout":"js53","workers":{"start":0,"end":300}}"#;
    let answer = server.put("/v1/namespaces/default", both);
    assert_eq!((answer.status, answer.code()), (400, "WORKER_INVALID"), "{answer:?}");
    for word in ["0..300", "0..256"] {
        assert!(detail(&answer).contains(word), "no {word}: {}", detail(&answer));
    }
    // As the message says.
    let both = r#"{"layout":"js53","workers":{"start":0,"end":256}}"#;
    let after = server.put("/v1/namespaces/default", both).ok();
    assert_eq!(after["workers"], json!({ "start": 0, "end": 256 }));
    // A layout with more of them leaves the numbers as they were.
    let after = server.put("/v1/namespaces/default", r#"{"layout":"edge"}"#).ok();
    assert_eq!(after["workers"], json!({ "start": 0, "end": 256 }));
    for workers in [r#"{"start":7,"end":7}"#, r#"{"start":7,"end":3}"#] {
        let body = format!("{{\"workers\":{workers}}}");
        let answer = server.put("/v1/namespaces/default", &body);
        assert_eq!((answer.status, answer.code()), (400, "WORKER_INVALID"), "{answer:?}");
        assert!(detail(&answer).contains("no number"), "{}", detail(&answer));
    }
}

#[test]
fn after_the_first_window_it_is_the_layout_that_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let body = json!({ "request": request(1), "owner": "o" }).to_string();
    server.post("/v1/workers/default/acquire", &body).ok();
    for body in [
        r#"{"layout":"js53"}"#,
        r#"{"layout":"js53","workers":{"start":0,"end":256}}"#,
        r#"{"layout":"edge"}"#,
    ] {
        let answer = server.put("/v1/namespaces/default", body);
        assert_eq!((answer.status, answer.code()), (409, "LAYOUT_MISMATCH"), "{answer:?}");
        for word in ["`default`", "41/10/12", "first window"] {
            assert!(detail(&answer).contains(word), "no {word}: {}", detail(&answer));
        }
    }
    server.put("/v1/namespaces/default", r#"{"layout":"leaf"}"#).ok();
}

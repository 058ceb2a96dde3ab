//! Worker numbers that are set aside for what uses them outside of leafid.

use serde_json::{Value, json};

use crate::support::{Answer, Server, request};

fn aside(server: &Server, worker: &str, body: &Value) -> Answer {
    server.put(&format!("/v1/workers/default/{worker}"), &body.to_string())
}

fn acquire(server: &Server, n: u64, owner: &str, sticky: bool) -> Answer {
    let ask = json!({ "request": request(n), "owner": owner, "sticky": sticky });
    server.post("/v1/workers/default/acquire", &ask.to_string())
}

#[test]
fn a_number_is_set_aside_and_taken_over() {
    let server = Server::fresh();
    let owner = "192.0.2.2:54215";
    for worker in ["0", "2"] {
        let row = aside(&server, worker, &json!({ "owner": owner })).ok();
        assert_eq!((&row["owner"], &row["sticky"]), (&json!(owner), &json!(true)));
        assert_eq!((&row["held"], &row["key"]), (&json!(false), &Value::Null));
        assert_eq!(row["reserved_until"], (1_u64 << 41).to_string());
    }
    // Others get what is left, and an operator's release changes nothing of that.
    server.post("/v1/workers/default/2/release", "{}").ok();
    let given: Vec<u64> = (1..=2)
        .map(|n| acquire(&server, n, owner, true).ok()["worker"].as_u64().unwrap())
        .collect();
    assert_eq!(given, [1, 3], "its own is not free: a borrowed one");
    let now = server.get("/v1/workers/default").ok()["now_ms"].as_i64().unwrap();
    let over = json!({ "owner": owner, "until_ms": now - 5_000 });
    let row = aside(&server, "0", &over).ok();
    assert_eq!(row["reserved_until_ms"], now - 4_999);
    assert_eq!(acquire(&server, 3, owner, true).ok()["worker"], 0, "and now it is");

    let held = aside(&server, "0", &json!({})).refused(503, "WORKERS_EXHAUSTED");
    assert!(held.contains("granted to `192.0.2.2:54215`, and free from"), "{held}");
}

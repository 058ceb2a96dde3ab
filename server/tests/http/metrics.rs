//! `/metrics` counts what happened, with a bounded number of series.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::{Server, request, until};

fn samples(server: &Server) -> BTreeMap<String, f64> {
    let answer = server.get("/metrics");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let text = answer.body;
    let mut help = text.lines().filter_map(|line| line.strip_prefix("# HELP "));
    assert!(help.all(|line| line.split(' ').nth(1).is_some_and(|word| !word.is_empty())), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let samples: BTreeMap<String, f64> = lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
            (name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{line}")))
        })
        .collect();
    assert!(samples.len() > 100, "{}", samples.len());
    samples
}

#[test]
fn what_was_asked_is_counted_by_tag_namespace_and_outcome() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":10,"until":"31"}"#).ok();
    for n in 0..4 {
        let answer = server.lease(n, &json!({}));
        assert_eq!(answer.status, if n < 3 { 200 } else { 422 }, "{answer:?}");
    }
    let lease = json!({ "request": request(9) }).to_string();
    assert_eq!(server.post("/v1/segments/nothere/lease", &lease).status, 404);
    let acquire = json!({ "request": request(5), "owner": "o" }).to_string();
    let grant = server.post("/v1/workers/default/acquire", &acquire).ok();
    let release = json!({ "store": grant["store"], "worker": 0, "key": request(5),
                          "unused_from": grant["start"] });
    server.post("/v1/workers/default/release", &release.to_string()).ok();
    server.post("/v1/snowflake/default/ids", r#"{"count":7}"#).ok();

    let seen = samples(&server);
    let is = |name: &str, value: f64| assert_eq!(seen.get(name), Some(&value), "{name}");
    is(r#"leafid_leases_total{tag="orders",outcome="granted"}"#, 3.0);
    is(r#"leafid_leases_total{tag="orders",outcome="refused"}"#, 1.0);
    is(r#"leafid_leases_total{tag="_other",outcome="refused"}"#, 1.0);
    is(r#"leafid_leased_ids_total{tag="orders"}"#, 30.0);
    // One acquire by the test, one by the server's own generator.
    is(r#"leafid_acquires_total{namespace="default",outcome="granted"}"#, 2.0);
    is(r#"leafid_releases_total{namespace="default",outcome="granted"}"#, 1.0);
    is(r#"leafid_single_ids_total{kind="snowflake",name="default"}"#, 7.0);
    is(r#"leafid_http_requests_total{route="lease",status="2xx"}"#, 3.0);
    is(r#"leafid_http_requests_total{route="lease",status="4xx"}"#, 2.0);
    is(r#"leafid_http_request_duration_seconds_count{route="lease"}"#, 5.0);
    is(r#"leafid_http_problems_total{code="TAG_SPENT"}"#, 1.0);
    is(r#"leafid_http_problems_total{code="TAG_UNKNOWN"}"#, 1.0);
    is(r#"leafid_http_problems_total{code="INTERNAL"}"#, 0.0);
    is(r#"leafid_tag_position{tag="orders"}"#, 31.0);
    is(r#"leafid_tag_remaining_ids{tag="orders"}"#, 0.0);
    // The state of the two granted numbers depends on the time.
    is(r#"leafid_worker_numbers{namespace="default",state="fresh"}"#, 1_022.0);
    is(r#"leafid_store_up"#, 1.0);
    is(r#"leafid_store_state{state="ok"}"#, 1.0);
    is(r#"leafid_store_state{state="degraded"}"#, 0.0);
    is(r#"leafid_queue_length{line="acquires"}"#, 0.0);
    let more = |name: &str, least: f64| assert!(seen[name] >= least, "{name}: {}", seen[name]);
    more(r#"leafid_backend_duration_seconds_count{step="write"}"#, 5.0);
    more(r#"leafid_turn_requests_sum"#, 8.0);
    more(r#"leafid_layout_exhaustion_seconds{namespace="default"}"#, 50.0 * 365.0 * 86_400.0);
}

/// A tag in use runs out some day, an unused one never does; a tag must be seen twice before its time
/// is known.
#[test]
fn the_time_that_is_left_follows_from_what_is_used() {
    let server = Server::fresh();
    for tag in ["used", "idle"] {
        server.put(&format!("/v1/tags/{tag}"), r#"{"step":10}"#).ok();
    }
    let left = |tag: &str| format!("leafid_tag_exhaustion_seconds{{tag=\"{tag}\"}}");
    let first = samples(&server);
    assert_eq!((first.get(&left("used")), first.get(&left("idle"))), (None, None));
    let mut n = 0;
    until(|| {
        n += 1;
        let lease = json!({ "request": request(n) }).to_string();
        server.post("/v1/segments/used/lease", &lease).ok();
        let seen = samples(&server);
        let Some(seconds) = seen.get(&left("used")).filter(|seconds| seconds.is_finite()) else {
            return false;
        };
        assert!(*seconds > 1e9, "{seconds}");
        assert_eq!(seen[&left("idle")], f64::INFINITY);
        true
    });
}

#[test]
fn a_line_that_went_back_shows() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", "{}").ok();
    server.lease(1, &json!({ "have_until": "777001" })).refused(409, "STORE_WENT_BACK");
    let seen = samples(&server);
    assert_eq!(seen[r#"leafid_store_state{state="degraded"}"#], 1.0);
    assert_eq!(seen[r#"leafid_store_lines_went_back"#], 1.0);
    assert_eq!(seen[r#"leafid_store_up"#], 1.0);
}

#[test]
fn openmetrics_is_had_for_the_asking() {
    let server = Server::fresh();
    let accept = ("accept", "application/openmetrics-text; version=1.0.0");
    let answer = server.send("GET", "/metrics", &[accept], "");
    assert!(answer.headers.contains("content-type: application/openmetrics-text"), "{answer:?}");
    assert!(answer.body.ends_with("\n# EOF\n"), "{}", answer.body);
}

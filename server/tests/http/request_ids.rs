//! Every HTTP request has an id that its answer, problem and log lines share; its trace context comes back
//! with the answer.

use crate::support::{Answer, JSON, Server, request};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn id(answer: &Answer) -> &str {
    answer.header("x-request-id").unwrap_or_else(|| panic!("no id: {answer:?}"))
}

#[test]
fn every_answer_has_one_and_every_problem_names_it() {
    let server = Server::fresh();
    let mut seen = std::collections::BTreeSet::new();
    for (answer, status) in [
        (server.get("/healthz"), 200),
        (server.get("/healthz"), 200),
        (server.get("/openapi.json"), 200),
        (server.put("/v1/tags/orders", "{}"), 200),
        (server.put("/v1/tags/orders", "{"), 400),
        (server.get("/nowhere"), 404),
        (server.send("POST", "/healthz", &[JSON], "{}"), 405),
        (server.get("/v1/tags/ordres"), 404),
        // Refusals of the guard, before and after it has read the body.
        (server.send("GET", "/healthz", &[("host", "evil.example")], ""), 403),
        (server.put("/v1/tags/a", &" ".repeat(20_000)), 413),
    ] {
        assert_eq!((answer.status, answer.header("traceparent")), (status, None), "{answer:?}");
        let id = id(&answer);
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        let told = answer.json["request_id"].as_str();
        assert_eq!(told, (status != 200).then_some(id), "{answer:?}");
        assert_eq!(answer.header("allow").is_some(), status == 405, "{answer:?}");
        assert!(seen.insert(id.to_owned()), "an id came twice: {answer:?}");
    }
    let head = server.send("HEAD", "/nowhere", &[], "");
    assert_eq!((head.status, id(&head).len()), (404, 32));
}

#[test]
fn a_well_formed_one_is_taken_over() {
    let server = Server::fresh();
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let later = format!("cc-{TRACE}-00f067aa0ba902b7-01-what-the-future-will-be-like");
    let parent = ("traceparent", parent.as_str());
    for (headers, taken) in [
        (vec![("x-request-id", "web-7/1c:42")], "web-7/1c:42"),
        (vec![parent, ("x-request-id", "a")], "a"),
        (vec![parent], TRACE),
        (vec![("traceparent", &later)], TRACE),
        (vec![parent, ("x-request-id", "not good")], TRACE),
    ] {
        let answer = server.send("GET", "/v1/tags/ordres", &headers, "");
        assert_eq!(id(&answer), taken, "{headers:?}");
        assert_eq!(answer.json["request_id"], taken, "{headers:?}");
        let trace = headers.iter().find(|(name, _)| *name == "traceparent");
        assert_eq!(answer.header("traceparent"), trace.map(|(_, value)| *value));
    }
}

#[test]
fn anything_else_is_not() {
    let server = Server::fresh();
    let long = "a".repeat(129);
    let good = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let ids = ["", "not good", "quoted\"", "a=1 level=ERROR", "ä", &long];
    let traces = [
        "".to_owned(),
        "00".to_owned(),
        "00-x-y-01".to_owned(),
        TRACE.to_owned(),
        good.replace(TRACE, &"0".repeat(32)),
        good.replace("00f067aa0ba902b7", "0000000000000000"),
        good.replace("00-", "ff-"),
        format!("{good}-more"),
        good.to_uppercase(),
    ];
    let mut cases: Vec<_> = ids.iter().map(|id| vec![("x-request-id", *id)]).collect();
    cases.extend(traces.iter().map(|trace| vec![("traceparent", trace.as_str())]));
    cases.push(vec![("x-request-id", "first"), ("x-request-id", "second")]);
    cases.push(vec![("traceparent", &good), ("traceparent", &good)]);
    for headers in cases {
        let answer = server.send("GET", "/v1/tags/ordres", &headers, "");
        let id = id(&answer);
        assert!(id.len() == 32 && id != TRACE, "{id} for {headers:?}");
        assert_eq!(answer.json["request_id"], id, "{headers:?}");
        assert_eq!(answer.header("traceparent"), None, "{headers:?}");
    }
}

/// The `request` of a lease is a secret: a caller that sends it as the HTTP request's id does not get it
/// into the log.
#[test]
fn the_request_of_a_lease_is_not() {
    let server = Server::fresh();
    let secret = request(7);
    let ask = format!("{{\"request\":\"{secret}\",\"owner\":\"o\"}}");
    let padded = format!("{ask}{}", " ".repeat(20_000));
    let trace = format!("00-{secret}-00f067aa0ba902b7-01");
    let (id_header, evil) = (("x-request-id", secret.as_str()), ("host", "evil.example"));
    for (more, body, code) in [
        (vec![id_header], &ask, "NAMESPACE_UNKNOWN"),
        (vec![("traceparent", &trace)], &ask, "NAMESPACE_UNKNOWN"),
        // Nor where the body was not read.
        (vec![id_header, evil], &ask, "FORBIDDEN"),
        (vec![id_header], &padded, "REQUEST_INVALID"),
    ] {
        let headers = [&[JSON], more.as_slice()].concat();
        let answer = server.send("POST", "/v1/workers/nowhere/acquire", &headers, body);
        assert_eq!((answer.code(), answer.header("traceparent")), (code, None));
        let told = format!("{}{}", answer.headers, answer.body);
        assert!(!told.contains(&secret), "{answer:?}");
    }
}

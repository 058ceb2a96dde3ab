//! Every request has an id that its answer, its problem and its log lines share.

use crate::support::{Answer, Server, request};

const JSON: (&str, &str) = ("content-type", "application/json");
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// The id in an answer's header, given exactly once.
fn id(answer: &Answer) -> String {
    let mut lines = answer.headers.lines().filter_map(|line| line.strip_prefix("x-request-id: "));
    let id = lines.next().unwrap_or_else(|| panic!("no id: {answer:?}"));
    assert_eq!(lines.next(), None, "{answer:?}");
    id.to_owned()
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
        // The guard's own, before and after it has read the body.
        (server.send("GET", "/healthz", &[("host", "evil.example")], ""), 403),
        (server.put("/v1/tags/a", &" ".repeat(20_000)), 413),
    ] {
        assert_eq!(answer.status, status, "{answer:?}");
        let id = id(&answer);
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        let told = answer.json["request_id"].as_str();
        assert_eq!(told, (status != 200).then_some(id.as_str()), "{answer:?}");
        if status == 405 {
            assert!(answer.headers.contains("allow: "), "{answer:?}");
        }
        assert!(seen.insert(id), "an id came twice: {answer:?}");
    }
    let head = server.send("HEAD", "/nowhere", &[], "");
    assert_eq!((head.status, id(&head).len()), (404, 32));
}

#[test]
fn a_well_formed_one_is_taken_over() {
    let server = Server::fresh();
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    for (headers, taken) in [
        (vec![("x-request-id", "web-7/1c:42")], "web-7/1c:42"),
        (vec![("x-request-id", "a"), ("traceparent", parent.as_str())], "a"),
        (vec![("traceparent", parent.as_str())], TRACE),
        (vec![("x-request-id", "not good"), ("traceparent", parent.as_str())], TRACE),
    ] {
        let answer = server.send("GET", "/v1/tags/ordres", &headers, "");
        assert_eq!(id(&answer), taken, "{headers:?}");
        assert_eq!(answer.json["request_id"], taken, "{headers:?}");
    }
}

#[test]
fn anything_else_is_not() {
    let server = Server::fresh();
    let long = "a".repeat(129);
    let trace = |text: &str| ("traceparent".to_owned(), text.to_owned());
    let own = |text: &str| ("x-request-id".to_owned(), text.to_owned());
    for headers in [
        vec![own("")],
        vec![own("not good")],
        vec![own("quoted\"")],
        vec![own("a=1 level=ERROR")],
        vec![own("ä")],
        vec![own(&long)],
        vec![own("first"), own("second")],
        vec![trace(TRACE)],
        vec![trace(&format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)))],
        vec![trace(&format!("00-{TRACE}-0000000000000000-01"))],
        vec![trace(&format!("ff-{TRACE}-00f067aa0ba902b7-01"))],
        vec![trace(&format!("00-{TRACE}-00f067aa0ba902b7-01-more"))],
        vec![trace(&format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()))],
    ] {
        let sent: Vec<_> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = server.send("GET", "/v1/tags/ordres", &sent, "");
        let id = id(&answer);
        assert!(id.len() == 32 && id != TRACE, "{id} for {headers:?}");
        assert_eq!(answer.json["request_id"], id.as_str(), "{headers:?}");
    }
}

/// The `request` of a lease is a secret: who takes it for the id of the HTTP request does not get
/// it written into the log.
#[test]
fn the_request_of_a_lease_is_not() {
    let server = Server::fresh();
    let ask = format!("{{\"request\":\"{}\",\"owner\":\"o\"}}", request(7));
    let secret = request(7);
    for header in [
        ("x-request-id", secret.clone()),
        ("traceparent", format!("00-{secret}-00f067aa0ba902b7-01")),
    ] {
        let headers = [JSON, (header.0, header.1.as_str())];
        let answer = server.send("POST", "/v1/workers/nowhere/acquire", &headers, &ask);
        assert_eq!(answer.code(), "NAMESPACE_UNKNOWN");
        assert_ne!(id(&answer), secret);
        assert!(!answer.json.to_string().contains(&secret), "{answer:?}");
    }
    // Neither where the body was not read.
    let headers = [JSON, ("x-request-id", secret.as_str()), ("host", "evil.example")];
    let answer = server.send("POST", "/v1/workers/default/acquire", &headers, &ask);
    assert_eq!(answer.status, 403);
    assert_ne!(id(&answer), secret);
    let padded = format!("{ask}{}", " ".repeat(20_000));
    let headers = [JSON, ("x-request-id", secret.as_str())];
    let answer = server.send("POST", "/v1/workers/default/acquire", &headers, &padded);
    assert_eq!(answer.status, 413);
    assert_ne!(id(&answer), secret);
}

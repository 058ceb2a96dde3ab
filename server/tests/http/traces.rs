//! The trace of a request comes back with its answer.

use crate::support::{Answer, Server, request};

fn parent(answer: &Answer) -> Option<&str> {
    answer.headers.lines().find_map(|line| line.strip_prefix("traceparent: "))
}

#[test]
fn a_well_formed_traceparent_is_given_back_and_no_other() {
    let server = Server::fresh();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let good = format!("00-{trace}-00f067aa0ba902b7-01");
    let later = format!("cc-{trace}-00f067aa0ba902b7-01-what-the-future-will-be-like");
    for given in [&good, &later] {
        let answer = server.send("GET", "/healthz", &[("traceparent", given)], "");
        assert_eq!(parent(&answer), Some(given.as_str()));
    }
    let zero = format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32));
    for given in ["", "00", "00-x-y-01", zero.as_str(), &good.to_uppercase()] {
        let answer = server.send("GET", "/healthz", &[("traceparent", given)], "");
        assert_eq!(parent(&answer), None, "{given}");
    }
    let twice = [("traceparent", good.as_str()), ("traceparent", good.as_str())];
    assert_eq!(parent(&server.send("GET", "/healthz", &twice, "")), None);
    assert_eq!(parent(&server.get("/healthz")), None);
}

/// The `request` of a lease is a secret of its holder.
#[test]
fn a_trace_that_the_body_has_too_is_not_taken_over() {
    let server = Server::fresh();
    let secret = request(0x1234);
    let given = format!("00-{secret}-00f067aa0ba902b7-01");
    let headers = [("content-type", "application/json"), ("traceparent", given.as_str())];
    let body = format!(r#"{{"request":"{secret}"}}"#);
    let answer = server.send("POST", "/v1/segments/orders/lease", &headers, &body);
    assert_eq!((answer.status, parent(&answer)), (404, None), "{answer:?}");
    assert!(!answer.headers.contains(&secret), "{answer:?}");
}

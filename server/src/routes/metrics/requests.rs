//! Requests over HTTP.

use crate::meter::requests::{CLASSES, Requests};
use crate::seen::exposition::Exposition;

/// How many µs there are in a second.
pub const MICROS: f64 = 1_000_000.0;

/// How many there were, how long they took, and why they were refused.
pub fn put(all: &mut Exposition, requests: &Requests) {
    let help =
        "Requests that were answered, by what they asked for and by the class of the status.";
    let mut family = all.counter("leafid_http_requests_total", help);
    for (kind, counts) in requests.kinds() {
        for (class, count) in CLASSES.iter().zip(&counts.answers) {
            family.count(&[("route", kind.name()), ("status", class)], count.get());
        }
    }
    let help = "From a request that was read to its answer, in seconds.";
    let mut family = all.histogram("leafid_http_request_duration_seconds", help);
    for (kind, counts) in requests.kinds() {
        family.reading(&[("route", kind.name())], &counts.took.read(), MICROS);
    }
    let help = "Requests that were refused or failed, by code.";
    let mut family = all.counter("leafid_http_problems_total", help);
    for (code, count) in requests.codes().filter(|(code, _)| code.http_status().is_some()) {
        family.count(&[("code", code.as_str())], count);
    }
}

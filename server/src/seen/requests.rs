//! Counters of HTTP requests: by route, duration, and reason of refusal.

use std::time::Duration;

use leafid_core::Code;
use leafid_store::meter::Counter;
use leafid_store::meter::histogram::Histogram;

/// The routes that metrics tell apart, by their label.
const ROUTES: [&str; 10] = [
    "lease",
    "numbers",
    "acquire",
    "renew",
    "release",
    "snowflakes",
    "tags",
    "namespaces",
    "health",
    "other",
];

pub fn route(path: &str) -> &'static str {
    let Some(path) = path.strip_prefix("/v1/") else {
        return if matches!(path, "/healthz" | "/readyz") { "health" } else { "other" };
    };
    let mut parts = path.split('/');
    let (first, _, last) = (parts.next(), parts.next(), parts.next_back());
    match (first, last) {
        (Some("segments"), Some("lease")) => "lease",
        (Some("segments"), Some("ids")) => "numbers",
        (Some("snowflake"), Some("ids")) => "snowflakes",
        (Some("workers"), Some("acquire")) => "acquire",
        (Some("workers"), Some("renew")) => "renew",
        (Some("workers"), Some("release")) => "release",
        (Some("tags"), _) => "tags",
        (Some("workers" | "namespaces"), _) => "namespaces",
        _ => "other",
    }
}

pub const CLASSES: [&str; 3] = ["2xx", "4xx", "5xx"];

#[derive(Debug)]
pub struct OfRoute {
    pub answers: [Counter; CLASSES.len()],
    /// Durations in µs, from the body being read to the answer being ready.
    pub took: Histogram,
}

#[derive(Debug)]
pub struct Requests {
    routes: [OfRoute; ROUTES.len()],
    codes: Vec<Counter>,
}

impl Default for Requests {
    fn default() -> Requests {
        let route = |_| OfRoute { answers: Default::default(), took: Histogram::times() };
        let codes = Code::ALL.iter().map(|_| Counter::default()).collect();
        Requests { routes: ROUTES.map(route), codes }
    }
}

impl Requests {
    pub fn note(&self, path: &str, status: u16, took: Duration) {
        let Some((_, counts)) = self.routes().find(|(name, _)| *name == route(path)) else {
            return;
        };
        let [done, refused, failed] = &counts.answers;
        match status {
            ..400 => done.one(),
            400..500 => refused.one(),
            500.. => failed.one(),
        }
        counts.took.took(took);
    }

    pub fn refused(&self, code: Code) {
        let place = Code::ALL.iter().position(|known| *known == code);
        if let Some(count) = place.and_then(|place| self.codes.get(place)) {
            count.one();
        }
    }

    pub fn routes(&self) -> impl Iterator<Item = (&'static str, &OfRoute)> {
        ROUTES.into_iter().zip(&self.routes)
    }

    pub fn codes(&self) -> impl Iterator<Item = (Code, u64)> {
        Code::ALL.iter().zip(&self.codes).map(|(code, count)| (*code, count.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_of_the_api_has_its_route() {
        use leafid_wire::path;
        for (path, name) in [
            (path::lease("a"), "lease"),
            (path::numbers("a"), "numbers"),
            (path::acquire("n"), "acquire"),
            (path::renew("n"), "renew"),
            (path::release("n"), "release"),
            (path::revoke("n", 7), "release"),
            (path::aside("n", 7), "namespaces"),
            (path::workers("n"), "namespaces"),
            (path::snowflakes("n"), "snowflakes"),
            (path::decode(7), "other"),
            (path::tags(), "tags"),
            (path::tag("lease"), "tags"),
            (path::advance("a"), "tags"),
            (path::namespaces(), "namespaces"),
            (path::namespace("n"), "namespaces"),
            (path::healthz(), "health"),
            (path::readyz(), "health"),
            (path::openapi(), "other"),
            ("/v1/segments".to_owned(), "other"),
            ("/v1/segments/lease".to_owned(), "other"),
            ("/".to_owned(), "other"),
        ] {
            assert_eq!(route(&path), name, "{path}");
            assert!(ROUTES.contains(&name), "{name}");
        }
    }

    #[test]
    fn answers_are_counted_by_route_and_class_and_refusals_by_code() {
        let requests = Requests::default();
        for status in [200, 204, 404, 409, 503] {
            requests.note("/v1/segments/a/lease", status, Duration::from_micros(300));
        }
        requests.refused(Code::TagSpent);
        let (_, lease) = requests.routes().next().unwrap();
        let counts: Vec<_> = lease.answers.iter().map(Counter::get).collect();
        assert_eq!((counts, lease.took.read().sum), (vec![2, 2, 1], 1_500));
        let refused: Vec<_> = requests.codes().filter(|(_, count)| *count > 0).collect();
        assert_eq!(refused, [(Code::TagSpent, 1)]);
    }
}

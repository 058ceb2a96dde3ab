//! Requests over HTTP: how many of which kind, how long they took, and why they were refused.

use std::time::Duration;

use leafid_core::Code;
use leafid_store::meter::Counter;
use leafid_store::meter::histogram::Histogram;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal;)+) => {
        /// What a request asks for, as far as it is told apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Kind] = &[$(Kind::$kind),+];

            /// Its name in metrics.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }
        }
    };
}

kinds! {
    /// A lease of numbers.
    Lease "lease";
    /// Single numbers of a tag.
    Numbers "numbers";
    /// A worker number and its first window.
    Acquire "acquire";
    /// A later end of a window.
    Renew "renew";
    /// A window, or a worker number, that is given back or taken back.
    Release "release";
    /// Single snowflake IDs.
    Snowflakes "snowflakes";
    /// Tags: what there are, and their changes.
    Tags "tags";
    /// Namespaces and who holds their numbers.
    Namespaces "namespaces";
    /// Whether the server lives and can serve.
    Health "health";
    /// Whatever else: the description, the dashboard, metrics, what is not there.
    Other "other";
}

impl Kind {
    /// What a path asks for.
    pub fn of(path: &str) -> Kind {
        let Some(path) = path.strip_prefix("/v1/") else {
            return match path {
                "/healthz" | "/readyz" => Kind::Health,
                _ => Kind::Other,
            };
        };
        let mut parts = path.split('/');
        let (first, _, last) = (parts.next(), parts.next(), parts.next_back());
        match (first, last) {
            (Some("segments"), Some("lease")) => Kind::Lease,
            (Some("segments"), Some("ids")) => Kind::Numbers,
            (Some("snowflake"), Some("ids")) => Kind::Snowflakes,
            (Some("workers"), Some("acquire")) => Kind::Acquire,
            (Some("workers"), Some("renew")) => Kind::Renew,
            (Some("workers"), Some("release")) => Kind::Release,
            (Some("tags"), _) => Kind::Tags,
            (Some("workers" | "namespaces"), _) => Kind::Namespaces,
            _ => Kind::Other,
        }
    }
}

/// The classes of an answer's status.
pub const CLASSES: [&str; 3] = ["2xx", "4xx", "5xx"];

/// What is counted of one kind.
#[derive(Debug)]
pub struct OfKind {
    /// The answers, by class.
    pub answers: [Counter; CLASSES.len()],
    /// How long they took, in µs: from the body that was read to the answer that is to be sent.
    pub took: Histogram,
}

/// All requests of a server.
#[derive(Debug)]
pub struct Requests {
    kinds: Vec<OfKind>,
    codes: Vec<Counter>,
}

impl Default for Requests {
    fn default() -> Requests {
        let kind = |_: &Kind| OfKind { answers: Default::default(), took: Histogram::times() };
        Requests {
            kinds: Kind::ALL.iter().map(kind).collect(),
            codes: Code::ALL.iter().map(|_| Counter::default()).collect(),
        }
    }
}

impl Requests {
    /// Notes an answer.
    pub fn note(&self, kind: Kind, status: u16, took: Duration) {
        let Some(counts) = self.kinds.get(kind as usize) else { return };
        let class = match status {
            ..400 => 0,
            400..500 => 1,
            500.. => 2,
        };
        if let Some(answers) = counts.answers.get(class) {
            answers.one();
        }
        counts.took.took(took);
    }

    /// Notes why one was refused.
    pub fn refused(&self, code: Code) {
        let place = Code::ALL.iter().position(|known| *known == code);
        if let Some(count) = place.and_then(|place| self.codes.get(place)) {
            count.one();
        }
    }

    /// What is counted of each kind.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, &OfKind)> {
        Kind::ALL.iter().copied().zip(&self.kinds)
    }

    /// How many were refused, by code.
    pub fn codes(&self) -> impl Iterator<Item = (Code, u64)> {
        Code::ALL.iter().zip(&self.codes).map(|(code, count)| (*code, count.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_of_the_api_has_its_kind() {
        use leafid_wire::path;
        for (path, kind) in [
            (path::lease("a"), Kind::Lease),
            (path::numbers("a"), Kind::Numbers),
            (path::acquire("n"), Kind::Acquire),
            (path::renew("n"), Kind::Renew),
            (path::release("n"), Kind::Release),
            (path::revoke("n", 7), Kind::Release),
            (path::aside("n", 7), Kind::Namespaces),
            (path::workers("n"), Kind::Namespaces),
            (path::snowflakes("n"), Kind::Snowflakes),
            (path::decode(7), Kind::Other),
            (path::tags(), Kind::Tags),
            (path::tag("lease"), Kind::Tags),
            (path::advance("a"), Kind::Tags),
            (path::namespaces(), Kind::Namespaces),
            (path::namespace("n"), Kind::Namespaces),
            (path::healthz(), Kind::Health),
            (path::readyz(), Kind::Health),
            (path::openapi(), Kind::Other),
            ("/v1/segments".to_owned(), Kind::Other),
            ("/v1/segments/lease".to_owned(), Kind::Other),
            ("/".to_owned(), Kind::Other),
        ] {
            assert_eq!(Kind::of(&path), kind, "{path}");
        }
    }

    #[test]
    fn answers_are_counted_by_kind_and_class_and_refusals_by_code() {
        let requests = Requests::default();
        for status in [200, 204, 404, 409, 503] {
            requests.note(Kind::Lease, status, Duration::from_micros(300));
        }
        requests.refused(Code::TagSpent);
        let (_, lease) = requests.kinds().next().unwrap();
        let counts: Vec<_> = lease.answers.iter().map(Counter::get).collect();
        assert_eq!((counts, lease.took.read().sum), (vec![2, 2, 1], 1_500));
        let refused: Vec<_> = requests.codes().filter(|(_, count)| *count > 0).collect();
        assert_eq!(refused, [(Code::TagSpent, 1)]);
    }
}

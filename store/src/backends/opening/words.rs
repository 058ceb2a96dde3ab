//! Why a store was not opened, in words that are the same for every back end. A place is what
//! `--store` takes, without a password.

use std::fmt::Display;

use leafid_core::{Code, StoreTime, Token};

use super::Found;
use crate::hex::hex;
use crate::problem::Problem;
use crate::utc;

/// A place without a store (`does not exist`, `has no tables`), where none is to be made.
pub fn not_there(place: &str, what: &str) -> Problem {
    let detail = format!(
        "{place} {what}; to create a new store there: leafid init --store {place}; if there was one and it \
         is lost, use instead: leafid init --replaces-lost --store {place}, as a new store would hand out \
         again what is in use"
    );
    Problem::new(Code::StoreUnknown, detail)
}

/// A store where one was to be made; `other` is what to name instead: another `file`.
pub fn exists(place: &str, store: Token, found: &Found, other: &str) -> Problem {
    let detail = format!(
        "{place} is already a store: id {}, {found}; serve it: leafid serve --store {place}, or use \
         another {other}",
        hex(store)
    );
    Problem::new(Code::StoreRefused, detail)
}

/// Another store than the one that was expected.
pub fn unexpected(place: &str, expected: Token, store: Token) -> Problem {
    let detail = format!(
        "{place} is store {}, not {} as expected; use the right one, or leave out --expect-store",
        hex(store),
        hex(expected)
    );
    Problem::new(Code::StoreChanged, detail)
}

/// What a store keeps, its `tables` or `keys`, in a version that is not this program's.
pub fn other_version(
    place: &str,
    what: &str,
    version: impl Display,
    known: impl Display,
) -> Problem {
    let detail = format!(
        "{place} has {what} of version {version}, this program knows {known}; use the version of \
         leafid that wrote them"
    );
    Problem::new(Code::SchemaMismatch, detail)
}

/// What another program has written where a store is to be; `own` is what to give leafid instead.
pub fn foreign(place: &str, what: &str, own: &str) -> Problem {
    let detail = format!("{place} is not a leafid store: {what}; give leafid a {own} of its own");
    Problem::new(Code::SchemaMismatch, detail)
}

/// Notes that a clock is believed which strays from what the store knows, and how many times of grants
/// were lowered.
pub fn believed(source: StoreTime, known: StoreTime, lowered: u64) {
    let (source, known) = (utc::text(source), utc::text(known));
    tracing::warn!(source, known, lowered, "the clock is believed; numbers stay reserved");
}

/// A clock (`this machine's clock`) that strays from what the store knows.
pub fn strays(clock: &str, source: StoreTime, known: StoreTime) -> Problem {
    let by = source.since(known).saturating_abs() / 86_400_000;
    let side = if source > known { "after" } else { "before" };
    let detail = format!(
        "{clock} says {}, {by} days {side} the last time that this store has seen, {}; IDs \
         would carry a wrong time for good: set the clock, or, if it is right, start with: leafid \
         serve --believe-clock",
        utc::text(source),
        utc::text(known)
    );
    Problem::new(Code::StoreRefused, detail)
}

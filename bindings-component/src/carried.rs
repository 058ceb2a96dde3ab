//! What a generator asks, and the answers to that.

use leafid_core::{Ask, Grant, HostTime, Outcome, Refusal, SegmentGrant, WindowGrant};

use crate::bindings::exports::leafid::generator::generators as exported;
use crate::bindings::leafid::generator::types as wit;
use crate::cases::code;
use crate::values::Crosses;

pub fn shown_ask(ask: Ask) -> wit::Ask {
    match ask {
        Ask::Segment(ask) => wit::Ask::Segment(ask.shown()),
        Ask::Acquire(ask) => wit::Ask::Acquire(ask.shown()),
        Ask::Renew(ask) => wit::Ask::Renew(ask.shown()),
    }
}

pub fn shown_outcome(outcome: Outcome) -> exported::Outcome {
    match outcome {
        Outcome::Applied => exported::Outcome::Applied,
        Outcome::Ignored => exported::Outcome::Ignored,
        Outcome::Release(release) => exported::Outcome::Release(release.shown()),
    }
}

/// A refusal that a generator gave.
pub fn refusal(refusal: wit::Refusal) -> Refusal {
    Refusal { code: code(refusal.code), until: refusal.until.map(HostTime::new) }
}

/// # Errors
/// The codes of names and layouts.
pub fn grant(grant: wit::Grant) -> Result<Grant, Refusal> {
    match grant {
        wit::Grant::Segment(grant) => SegmentGrant::read(grant).map(Grant::Segment),
        wit::Grant::Window(grant) => WindowGrant::read(grant).map(Grant::Window),
    }
}

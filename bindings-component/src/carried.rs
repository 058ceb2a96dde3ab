//! Asks, releases and grants as a generator has them: it writes the first two and reads the last.

use leafid_core::{
    AcquireAsk, Ask, Grant, HostTime, Name, Outcome, Refusal, Release, RenewAsk, SegmentAsk,
    SegmentGrant, WindowGrant,
};

use crate::bindings::exports::leafid::generator::generators as exported;
use crate::bindings::leafid::generator::types as wit;
use crate::values::{at, code, layout, range, shown_layout, shown_token, token};

pub fn shown_ask(ask: Ask) -> wit::Ask {
    match ask {
        Ask::Segment(ask) => wit::Ask::Segment(shown_segment_ask(ask)),
        Ask::Acquire(ask) => wit::Ask::Acquire(shown_acquire_ask(ask)),
        Ask::Renew(ask) => wit::Ask::Renew(shown_renew_ask(ask)),
    }
}

pub fn shown_outcome(outcome: Outcome) -> exported::Outcome {
    match outcome {
        Outcome::Applied => exported::Outcome::Applied,
        Outcome::Ignored => exported::Outcome::Ignored,
        Outcome::Release(release) => exported::Outcome::Release(shown_release(release)),
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
        wit::Grant::Segment(grant) => segment_grant(grant).map(Grant::Segment),
        wit::Grant::Window(grant) => window_grant(grant).map(Grant::Window),
    }
}

/// # Errors
/// `TAG_INVALID`.
pub fn segment_grant(grant: wit::SegmentGrant) -> Result<SegmentGrant, Refusal> {
    Ok(SegmentGrant {
        request: token(grant.request),
        store: token(grant.store),
        tag: Name::tag(&grant.tag)?,
        range: range(grant.range),
        step: grant.step,
        max_step: grant.max_step,
        remaining: grant.remaining,
        now: at(grant.now),
    })
}

/// # Errors
/// `LAYOUT_INVALID`.
pub fn window_grant(grant: wit::WindowGrant) -> Result<WindowGrant, Refusal> {
    Ok(WindowGrant {
        request: token(grant.request),
        store: token(grant.store),
        worker: grant.worker,
        ticks: range(grant.ticks),
        layout: layout(grant.layout)?,
        now: at(grant.now),
        max_window_ms: grant.max_window_ms,
    })
}

pub fn shown_segment_ask(ask: SegmentAsk) -> wit::SegmentAsk {
    wit::SegmentAsk {
        tag: ask.tag.as_str().to_owned(),
        request: shown_token(ask.request),
        store: ask.store.map(shown_token),
        step: ask.step,
        at_least: ask.at_least,
        exactly: ask.exactly,
        have_until: ask.have_until,
    }
}

pub fn shown_acquire_ask(ask: AcquireAsk) -> wit::AcquireAsk {
    wit::AcquireAsk {
        namespace: ask.namespace.as_str().to_owned(),
        request: shown_token(ask.request),
        store: ask.store.map(shown_token),
        owner: ask.owner.as_str().to_owned(),
        layout: ask.layout.map(shown_layout),
        length_ms: ask.length_ms,
        sticky: ask.sticky,
        strict: ask.strict,
    }
}

pub fn shown_renew_ask(ask: RenewAsk) -> wit::RenewAsk {
    wit::RenewAsk {
        namespace: ask.namespace.as_str().to_owned(),
        request: shown_token(ask.request),
        store: shown_token(ask.store),
        worker: ask.worker,
        key: shown_token(ask.key),
        have_until: ask.have_until,
        length_ms: ask.length_ms,
    }
}

pub fn shown_release(release: Release) -> wit::Release {
    wit::Release {
        namespace: release.namespace.as_str().to_owned(),
        store: shown_token(release.store),
        worker: release.worker,
        key: shown_token(release.key),
        unused_from: release.unused_from,
    }
}

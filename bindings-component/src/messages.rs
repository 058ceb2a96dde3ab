//! Asks, releases and grants as a store has them: it reads the first two and writes the last.

use leafid_core::{
    AcquireAsk, Name, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant,
};

use crate::bindings::leafid::generator::types as wit;
use crate::values::{layout, shown_layout, shown_range, shown_token, token};

/// # Errors
/// `TAG_INVALID`.
pub fn segment_ask(ask: wit::SegmentAsk) -> Result<SegmentAsk, Refusal> {
    Ok(SegmentAsk {
        tag: Name::tag(&ask.tag)?,
        request: token(ask.request),
        store: ask.store.map(token),
        step: ask.step,
        at_least: ask.at_least,
        exactly: ask.exactly,
        have_until: ask.have_until,
    })
}

/// # Errors
/// `NAMESPACE_INVALID`, `REQUEST_INVALID`, `LAYOUT_INVALID`.
pub fn acquire_ask(ask: wit::AcquireAsk) -> Result<AcquireAsk, Refusal> {
    Ok(AcquireAsk {
        namespace: Name::namespace(&ask.namespace)?,
        request: token(ask.request),
        store: ask.store.map(token),
        owner: Name::owner(&ask.owner)?,
        layout: ask.layout.map(layout).transpose()?,
        length_ms: ask.length_ms,
        sticky: ask.sticky,
        strict: ask.strict,
    })
}

/// # Errors
/// `NAMESPACE_INVALID`.
pub fn renew_ask(ask: wit::RenewAsk) -> Result<RenewAsk, Refusal> {
    Ok(RenewAsk {
        namespace: Name::namespace(&ask.namespace)?,
        request: token(ask.request),
        store: token(ask.store),
        worker: ask.worker,
        key: token(ask.key),
        have_until: ask.have_until,
        length_ms: ask.length_ms,
    })
}

/// # Errors
/// `NAMESPACE_INVALID`.
pub fn release(release: wit::Release) -> Result<Release, Refusal> {
    Ok(Release {
        namespace: Name::namespace(&release.namespace)?,
        store: token(release.store),
        worker: release.worker,
        key: token(release.key),
        unused_from: release.unused_from,
    })
}

pub fn shown_segment_grant(grant: SegmentGrant) -> wit::SegmentGrant {
    wit::SegmentGrant {
        request: shown_token(grant.request),
        store: shown_token(grant.store),
        tag: grant.tag.as_str().to_owned(),
        range: shown_range(grant.range),
        step: grant.step,
        max_step: grant.max_step,
        remaining: grant.remaining,
        now: grant.now.get(),
    }
}

pub fn shown_window_grant(grant: WindowGrant) -> wit::WindowGrant {
    wit::WindowGrant {
        request: shown_token(grant.request),
        store: shown_token(grant.store),
        worker: grant.worker,
        ticks: shown_range(grant.ticks),
        layout: shown_layout(grant.layout),
        now: grant.now.get(),
        max_window_ms: grant.max_window_ms,
    }
}

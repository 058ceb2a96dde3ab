//! What passes between a generator and a store: asks, grants, releases. Complete: hosts carry
//! them and fill in nothing.

use crate::values::{Code, Layout, Name, Range, StoreTime, Token};

/// What a generator wants of its store now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// More numbers: `lease_segment`.
    Segment(SegmentAsk),
    /// A worker number and a window: `acquire`.
    Acquire(AcquireAsk),
    /// A later end of the window in hand: `renew`.
    Renew(RenewAsk),
}

impl Ask {
    /// The request id that the answer has to echo.
    pub fn request(&self) -> Token {
        match self {
            Ask::Segment(ask) => ask.request,
            Ask::Acquire(ask) => ask.request,
            Ask::Renew(ask) => ask.request,
        }
    }
}

/// Asks for the next numbers of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentAsk {
    /// The tag.
    pub tag: Name,
    /// Fresh for every ask, echoed by the answer.
    pub request: Token,
    /// The store that answered before, if one did.
    pub store: Option<Token>,
    /// How many; the tag's own step if not said.
    pub step: Option<u32>,
    /// How many a caller waits for at once: so many are granted if the step is smaller, unless it
    /// is more than the tag ever grants.
    pub at_least: Option<u32>,
    /// The highest end that this holder holds or held.
    pub have_until: Option<u64>,
}

/// Asks for a worker number and a window on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcquireAsk {
    /// The namespace.
    pub namespace: Name,
    /// Fresh for every ask, echoed by the answer; the key of the lease.
    pub request: Token,
    /// The store that answered before, if one did.
    pub store: Option<Token>,
    /// The label of the holder.
    pub owner: Name,
    /// The layout that the holder is built for; the namespace's own if not said.
    pub layout: Option<Layout>,
    /// How long a window, in ms; the namespace's `max_window_ms` if not said.
    pub length_ms: Option<u32>,
    /// Whether the number shall stay the owner's.
    pub sticky: bool,
    /// Whether, of a sticky owner, no other number will do.
    pub strict: bool,
}

/// Asks for a later end of the window in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenewAsk {
    /// The namespace.
    pub namespace: Name,
    /// Fresh for every ask, echoed by the answer.
    pub request: Token,
    /// The store that granted the window.
    pub store: Token,
    /// The worker number.
    pub worker: u32,
    /// The key of the lease: the request id of its acquire.
    pub key: Token,
    /// The end in hand, as a tick.
    pub have_until: u64,
    /// How long a window, in ms; the namespace's `max_window_ms` if not said.
    pub length_ms: Option<u32>,
}

/// Gives back what of a window was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The namespace.
    pub namespace: Name,
    /// The store that granted the window.
    pub store: Token,
    /// The worker number.
    pub worker: u32,
    /// The key of the lease.
    pub key: Token,
    /// The first tick that was not begun.
    pub unused_from: u64,
}

/// A store's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Numbers.
    Segment(SegmentGrant),
    /// A window: of an acquire or a renew.
    Window(WindowGrant),
}

impl Grant {
    /// The request that it answers.
    pub fn request(&self) -> Token {
        match self {
            Grant::Segment(grant) => grant.request,
            Grant::Window(grant) => grant.request,
        }
    }

    /// The store that gave it, and its time then.
    pub(crate) fn origin(&self) -> (Token, StoreTime) {
        match self {
            Grant::Segment(grant) => (grant.store, grant.now),
            Grant::Window(grant) => (grant.store, grant.now),
        }
    }

    /// When it is over, on the store's clock; numbers never are.
    pub(crate) fn over_at(&self) -> Option<StoreTime> {
        match self {
            Grant::Segment(_) => None,
            Grant::Window(grant) => Some(grant.layout.time(grant.ticks.end)),
        }
    }
}

/// Numbers of a tag, granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentGrant {
    /// The request that it answers.
    pub request: Token,
    /// The store.
    pub store: Token,
    /// The tag.
    pub tag: Name,
    /// The numbers.
    pub range: Range,
    /// The tag's own step.
    pub step: u32,
    /// The tag's largest step.
    pub max_step: u32,
    /// How many numbers the line has left after this.
    pub remaining: u64,
    /// The store's time.
    pub now: StoreTime,
}

/// A window on a worker's time, granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowGrant {
    /// The request that it answers.
    pub request: Token,
    /// The store.
    pub store: Token,
    /// The worker number.
    pub worker: u32,
    /// The window, in ticks: of an acquire all of it, of a renewal what comes after the end that
    /// the holder had.
    pub ticks: Range,
    /// The namespace's layout.
    pub layout: Layout,
    /// The store's time.
    pub now: StoreTime,
    /// The longest window of the namespace, in ms.
    pub max_window_ms: u32,
}

/// A store's refusal of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub code: Code,
    /// How long to wait at least, in ms.
    pub retry_after_ms: Option<u32>,
}

impl From<Code> for Failure {
    fn from(code: Code) -> Failure {
        Failure { code, retry_after_ms: None }
    }
}

//! The messages between a generator and a store: asks, grants, releases. They are complete: hosts
//! carry them and fill in nothing.
//!
//! All are small `Copy` values. A generator makes its asks and its release itself; the constructors
//! are for callers without a generator, such as the tests of a store.

use crate::values::{Code, Layout, Name, Range, StoreTime, Token};

/// A request to a store: [`Generator::poll`](crate::Generator::poll) gives it out,
/// [`Store::ask`](crate::Store::ask) or any wire carries it.
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

/// An ask of a snowflake generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowAsk {
    /// See [`Ask::Acquire`].
    Acquire(AcquireAsk),
    /// See [`Ask::Renew`].
    Renew(RenewAsk),
}

impl From<SegmentAsk> for Ask {
    fn from(ask: SegmentAsk) -> Ask {
        Ask::Segment(ask)
    }
}

impl From<WindowAsk> for Ask {
    fn from(ask: WindowAsk) -> Ask {
        match ask {
            WindowAsk::Acquire(ask) => Ask::Acquire(ask),
            WindowAsk::Renew(ask) => Ask::Renew(ask),
        }
    }
}

/// Asks for the next numbers of a tag.
///
/// ```
/// use leafid_core::{MemoryStore, Name, Range, SegmentAsk, Store, Token};
/// let (tag, request) = (Name::tag("orders")?, Token::new([2; 16]));
/// let ask = SegmentAsk { step: Some(50), ..SegmentAsk::new(tag, request) };
///
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let grant = store.lease_segment(&ask).map_err(|failure| failure.code)?;
/// assert_eq!(grant.range, Range::new(1, 51));
/// assert_eq!(grant.request, request, "the answer to this very ask");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentAsk {
    /// The tag.
    pub tag: Name,
    /// Fresh for every ask, echoed by the answer.
    pub request: Token,
    /// The store that answered before, if one did: any other refuses with `STORE_CHANGED`.
    pub store: Option<Token>,
    /// How many numbers; `None` for the tag's own step. No more than its `max_step` are granted.
    pub step: Option<u32>,
    /// How many numbers a caller waits for at once: granted if the step is smaller, unless it is more
    /// than the tag ever grants.
    pub at_least: Option<u32>,
    /// Exactly this many numbers as one range, or none: for a range that is used outside leafid. It
    /// excludes `step` and `at_least`; no generator sends it.
    pub exactly: Option<u32>,
    /// The highest end that this holder has or had: a store that stands lower has lost grants, and
    /// refuses with `STORE_WENT_BACK`.
    pub have_until: Option<u64>,
}

impl SegmentAsk {
    /// Asks for the tag's own step, for a holder that has nothing yet and knows no store.
    pub const fn new(tag: Name, request: Token) -> SegmentAsk {
        SegmentAsk {
            tag,
            request,
            store: None,
            step: None,
            at_least: None,
            exactly: None,
            have_until: None,
        }
    }
}

/// Asks for a worker number and a window on it.
///
/// ```
/// use leafid_core::{AcquireAsk, Layout, MemoryStore, Name, Store, StoreTime, Token};
/// let (namespace, owner) = (Name::namespace("default")?, Name::owner("host/1")?);
/// let ask = AcquireAsk {
///     length_ms: Some(10_000),
///     ..AcquireAsk::new(namespace, Token::new([2; 16]), owner)
/// };
///
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let now = StoreTime::new(1_800_000_000_000);
/// store.set_clock(now);
/// let grant = store.acquire(&ask).map_err(|failure| failure.code)?;
/// assert_eq!((grant.worker, grant.ticks.start), (0, Layout::LEAF.tick(now)?));
/// assert_eq!(grant.ticks.len(), 10_000, "ticks of this layout are 1 ms");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcquireAsk {
    /// The namespace.
    pub namespace: Name,
    /// Fresh for every ask, echoed by the answer; the key of the lease.
    pub request: Token,
    /// The store that answered before, if one did: any other refuses with `STORE_CHANGED`.
    pub store: Option<Token>,
    /// The label of the holder.
    pub owner: Name,
    /// The layout that the holder is built for; `None` for the namespace's own.
    pub layout: Option<Layout>,
    /// The length of the window in ms: at least 1,000, at most a minute and the namespace's
    /// `max_window_ms`; `None` for the longest.
    pub length_ms: Option<u32>,
    /// Whether the number stays reserved for the owner.
    pub sticky: bool,
    /// Whether a sticky owner accepts no other number.
    pub strict: bool,
}

impl AcquireAsk {
    /// Asks for any number and the longest first window, whatever the namespace's layout.
    pub const fn new(namespace: Name, request: Token, owner: Name) -> AcquireAsk {
        AcquireAsk {
            namespace,
            request,
            store: None,
            owner,
            layout: None,
            length_ms: None,
            sticky: false,
            strict: false,
        }
    }
}

/// Asks for a later end of the window in hand.
///
/// ```
/// use leafid_core::{AcquireAsk, MemoryStore, Name, Release, RenewAsk, Store, StoreTime, Token};
/// let (namespace, owner) = (Name::namespace("default")?, Name::owner("host/1")?);
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// store.set_clock(StoreTime::new(1_800_000_000_000));
/// let ask = AcquireAsk::new(namespace, Token::new([2; 16]), owner);
/// let first = store.acquire(&ask).map_err(|failure| failure.code)?;
///
/// let renewal = RenewAsk::new(namespace, Token::new([3; 16]), &first);
/// let more = store.renew(&renewal).map_err(|failure| failure.code)?;
/// assert_eq!(more.ticks.start, first.ticks.end, "what comes after the end in hand");
///
/// // The next renewal goes on from there, under the same key.
/// let request = Token::new([4; 16]);
/// let renewal = RenewAsk { request, have_until: more.ticks.end, ..renewal };
/// assert!(store.renew(&renewal).is_ok());
/// store.release(&Release::new(namespace, &first)).map_err(|failure| failure.code)?;
/// assert!(store.renew(&renewal).is_err(), "given back is given back");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
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
    /// The length of the window from now on, in ms: at least 1,000, at most the namespace's
    /// `max_window_ms`; `None` for the longest.
    pub length_ms: Option<u32>,
}

impl RenewAsk {
    /// Asks for the longest window after the one that was `acquired`. That must be the answer to an
    /// acquire, as its request id is the key; a renewal's has another.
    pub const fn new(namespace: Name, request: Token, acquired: &WindowGrant) -> RenewAsk {
        RenewAsk {
            namespace,
            request,
            store: acquired.store,
            worker: acquired.worker,
            key: acquired.request,
            have_until: acquired.ticks.end,
            length_ms: None,
        }
    }
}

/// Gives back the unused part of a window: [`Generator::retire`](crate::Generator::retire).
///
/// Without it the number is blocked until its window is over. Sending it is optional; stamping
/// after it would make duplicates.
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

impl Release {
    /// Gives back a whole window that was `acquired` and not used. [`RenewAsk`] has an example.
    pub const fn new(namespace: Name, acquired: &WindowGrant) -> Release {
        Release {
            namespace,
            store: acquired.store,
            worker: acquired.worker,
            key: acquired.request,
            unused_from: acquired.ticks.start,
        }
    }
}

/// A store's answer to any [`Ask`].
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

    /// The store that granted, and its time then.
    pub(crate) fn origin(&self) -> (Token, StoreTime) {
        match self {
            Grant::Segment(grant) => (grant.store, grant.now),
            Grant::Window(grant) => (grant.store, grant.now),
        }
    }

    /// When the grant is over, on the store's clock; `None` for numbers.
    pub(crate) fn over_at(&self) -> Option<StoreTime> {
        match self {
            Grant::Segment(_) => None,
            Grant::Window(grant) => Some(grant.layout.time(grant.ticks.end)),
        }
    }
}

macro_rules! grants {
    ($($kind:ident: $grant:ty),*) => {$(
        impl From<$grant> for Grant {
            fn from(grant: $grant) -> Grant {
                Grant::$kind(grant)
            }
        }

        impl TryFrom<Grant> for $grant {
            type Error = Code;

            fn try_from(grant: Grant) -> Result<$grant, Code> {
                match grant {
                    Grant::$kind(grant) => Ok(grant),
                    _ => Err(Code::GrantInvalid),
                }
            }
        }
    )*};
}
grants! { Segment: SegmentGrant, Window: WindowGrant }

/// Numbers of a tag, granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentGrant {
    /// The request that it answers.
    pub request: Token,
    /// The store.
    pub store: Token,
    /// The tag.
    pub tag: Name,
    /// The numbers; never empty.
    pub range: Range,
    /// The tag's own step.
    pub step: u32,
    /// The tag's largest step.
    pub max_step: u32,
    /// How many numbers the tag has left after this, up to its `until`; a whole line if the answer
    /// does not contain it.
    pub remaining: u64,
    /// The store's time when it decided.
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
    /// The window in ticks: of an acquire all of it, of a renewal the part after the end that the holder
    /// had, which may be empty.
    pub ticks: Range,
    /// The namespace's layout.
    pub layout: Layout,
    /// The store's time when it decided.
    pub now: StoreTime,
    /// The longest window of the namespace, in ms.
    pub max_window_ms: u32,
}

/// A store's refusal of an ask, or why there was no answer. A custom store uses `STORE_UNAVAILABLE`
/// for the latter: then the same ask is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub code: Code,
    /// How long to wait at least, in ms, if the store knows; used, up to a minute, where it is longer
    /// than the generator's own back-off.
    pub retry_after_ms: Option<u32>,
}

impl From<Code> for Failure {
    fn from(code: Code) -> Failure {
        Failure { code, retry_after_ms: None }
    }
}

//! The trait of synchronous stores, and the loop that connects one with a generator.
//!
//! The generator does not need this: a host that reaches its store by promises or messages carries
//! the asks itself ([`Generator::poll`]).

mod memory;

pub use memory::MemoryStore;

use crate::generator::{Event, Generator, Kind, Outcome};
use crate::line::Line;
use crate::protocol::{
    AcquireAsk, Ask, Failure, Grant, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant,
};
use crate::values::{HostTime, Refusal};

/// Hands out disjoint ranges. A grant must be durable before it is answered: one that is lost in a
/// crash would be made again, and its IDs handed out twice.
///
/// Each verb is one decision of the [`registry`](crate::registry) and one atomic write; see there
/// for a store over a table of your own. [`MemoryStore`] keeps nothing.
///
/// A store may also wrap another, here to simulate a broken connection.
///
/// ```
/// use leafid_core::{
///     AcquireAsk, Code, Failure, HostTime, MemoryStore, Release, RenewAsk, Segment, SegmentAsk,
///     SegmentConfig, SegmentGrant, Store, WindowGrant, refill,
/// };
///
/// struct Wire {
///     behind: MemoryStore,
///     is_cut: bool,
/// }
///
/// impl Wire {
///     fn through(&mut self) -> Result<&mut MemoryStore, Failure> {
///         if self.is_cut { Err(Code::StoreUnavailable.into()) } else { Ok(&mut self.behind) }
///     }
/// }
///
/// impl Store for Wire {
///     fn lease_segment(&mut self, ask: &SegmentAsk) -> Result<SegmentGrant, Failure> {
///         self.through()?.lease_segment(ask)
///     }
///     fn acquire(&mut self, ask: &AcquireAsk) -> Result<WindowGrant, Failure> {
///         self.through()?.acquire(ask)
///     }
///     fn renew(&mut self, ask: &RenewAsk) -> Result<WindowGrant, Failure> {
///         self.through()?.renew(ask)
///     }
///     fn release(&mut self, release: &Release) -> Result<(), Failure> {
///         self.through()?.release(release)
///     }
/// }
///
/// let mut store = Wire { behind: MemoryStore::new([1; 16]), is_cut: false };
/// let mut orders = Segment::new(SegmentConfig::new("orders")?, 7)?;
/// let now = HostTime::new(0);
/// refill(&mut orders, &mut store, || now, || [2; 16])?;
/// store.is_cut = true;
/// orders.fill(now, &mut [0; 500])?;
/// let failed = refill(&mut orders, &mut store, || now, || [3; 16]);
/// assert_eq!(failed.unwrap_err().code, Code::StoreUnavailable);
/// assert_eq!(orders.next(now)?, 501, "it goes on with what it has");
/// assert_eq!(refill(&mut orders, &mut store, || now, || [4; 16]), Ok(false), "backed off");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
pub trait Store {
    /// Leases numbers: [`registry::lease_segment`](crate::registry::lease_segment).
    ///
    /// # Errors
    /// Its codes, or `STORE_UNAVAILABLE` when there is no answer.
    fn lease_segment(&mut self, ask: &SegmentAsk) -> Result<SegmentGrant, Failure>;
    /// Gives a worker number: [`registry::acquire`](crate::registry::acquire).
    ///
    /// # Errors
    /// Its codes, or `STORE_UNAVAILABLE` when there is no answer.
    fn acquire(&mut self, ask: &AcquireAsk) -> Result<WindowGrant, Failure>;
    /// Extends a window: [`registry::renew`](crate::registry::renew).
    ///
    /// # Errors
    /// Its codes, or `STORE_UNAVAILABLE` when there is no answer.
    fn renew(&mut self, ask: &RenewAsk) -> Result<WindowGrant, Failure>;
    /// Takes back the rest of a window: [`registry::release`](crate::registry::release).
    ///
    /// # Errors
    /// Its codes, or `STORE_UNAVAILABLE` when there is no answer.
    fn release(&mut self, release: &Release) -> Result<(), Failure>;

    /// Carries any ask.
    ///
    /// # Errors
    /// As the verb that it is.
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Failure> {
        match ask {
            Ask::Segment(ask) => self.lease_segment(ask).map(Grant::Segment),
            Ask::Acquire(ask) => self.acquire(ask).map(Grant::Window),
            Ask::Renew(ask) => self.renew(ask).map(Grant::Window),
        }
    }
}

/// Carries the ask of a generator, if one is due, to its store, and the answer back. Returns whether
/// there was an ask.
///
/// Call it before a draw or after a refusal, and at [`Generator::poll_at`]; if nothing is due it
/// costs a clock reading and a comparison. It blocks for as long as the store does, so a host that
/// must not wait during a draw calls it from another thread. `clock` is read before and after the
/// call, `entropy` once per ask: 16 fresh random bytes.
///
/// [`Segment`](crate::Segment) and [`Snowflake`](crate::Snowflake) have examples; [`Store`] has one
/// of a failure. A write of a state file is left to [`Generator::poll`].
///
/// # Errors
/// Why the ask failed; the generator has backed off and is usable.
pub fn refill<S: Kind, L: Line>(
    generator: &mut Generator<S, L>,
    store: &mut impl Store,
    mut clock: impl FnMut() -> HostTime,
    mut entropy: impl FnMut() -> [u8; 16],
) -> Result<bool, Refusal> {
    let sent = clock();
    if !generator.is_ask_due(sent) {
        return Ok(false);
    }
    let Some(ask) = generator.poll_ask(sent, entropy()) else { return Ok(false) };
    let ask: Ask = ask.into();
    let event = Event::Answer { request: ask.request(), sent, answer: store.ask(&ask) };
    if let Outcome::Release(release) = generator.handle(event.of(), clock())? {
        store.release(&release).map_err(|failure| Refusal::new(failure.code))?;
    }
    Ok(true)
}

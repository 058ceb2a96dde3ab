//! The differences between the two generators: how they ask, what they accept, and how they draw.
//!
//! Everything else (one ask at a time, request ids, back-off, the store's time, the end) is in
//! [`Generator`], once for both.

use core::fmt::Debug;

use super::{Generator, Outcome};
use crate::line::{Ids, Line};
use crate::protocol::{Ask, Grant, Release, StateWrite};
use crate::values::{Code, HostTime, Range, StoreTime, Token};

/// A range that was granted and checked, ready to be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewRange {
    pub(crate) positions: Range,
    /// The bound's word: worker and end.
    pub(crate) bound: u64,
    /// Whether it only raises the end of the line in hand.
    pub(crate) extends: bool,
}

/// Facts that outlive a generator's rights: for its asks, and to detect bad answers.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub(crate) store: Option<Token>,
    /// Where the range in hand ends, or would end if the next range adjoined it, as a position.
    pub(crate) end: u64,
    /// The highest end that was ever in hand, as a position.
    pub(crate) have_until: Option<u64>,
    /// How many IDs a caller waits for at once; 0 if none does.
    pub(crate) wanted: u64,
}

/// When a state file has to be written, if nothing else happens first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteDue {
    /// By time, on the host's clock.
    pub(crate) at: Option<HostTime>,
    /// By draws: the cursor from which on it is due.
    pub(crate) from: u64,
}

/// How a kind keeps a state file; the defaults are for one that keeps none. Only this crate
/// can name this trait, so there are no other kinds.
pub trait Keeps: Sized {
    /// When the file has to be written.
    fn write_due<L: Line>(_: &Generator<Self, L>) -> WriteDue
    where
        Self: Kind,
    {
        WriteDue { at: None, from: u64::MAX }
    }
    /// The write to make now.
    fn write<L: Line>(_: &mut Generator<Self, L>, _now: HostTime) -> Option<StateWrite>
    where
        Self: Kind,
    {
        None
    }
    /// Notes that the write that was out is on the disk, or failed.
    fn written<L: Line>(_: &mut Generator<Self, L>, _is_done: bool, _now: HostTime) -> Outcome
    where
        Self: Kind,
    {
        Outcome::Ignored
    }
    /// Whether a refused caller would wait only for a write, as its IDs are granted already.
    fn is_kept_back<L: Line>(&self, _: &mut L, _now: HostTime) -> bool {
        false
    }
    /// Notes that a caller was refused for that reason.
    fn hurry(&mut self) {}
    /// Whether the file still has to be voided.
    fn is_voiding(&self) -> bool {
        false
    }
}

/// How a generator asks, accepts and draws: [`Segments`] or [`Snowflakes`](crate::Snowflakes). The
/// trait is sealed. A host names it to be generic over both, as [`refill`](crate::refill) is.
///
/// Each kind has its own types of ask and grant, so that the other's cannot be passed by mistake:
///
/// ```compile_fail,E0308
/// use leafid_core::{Event, HostTime, Segment, Token, WindowGrant};
/// fn hear(orders: &mut Segment, request: Token, window: WindowGrant) {
///     let now = HostTime::new(0);
///     let event = Event::Answer { request, sent: now, answer: Ok(window) };
///     let _ = orders.handle(event, now);
/// }
/// ```
///
/// [`Segments`]: crate::Segments
pub trait Kind: Keeps {
    /// How positions become IDs.
    type Ids: Ids;
    /// The ask that it sends to its store.
    type Ask: Copy + Debug + Send + Into<Ask>;
    /// The grant that its store answers with. A grant of the other kind is `GRANT_INVALID`.
    type Grant: Copy + Debug + Send + Into<Grant> + TryFrom<Grant, Error = Code>;
    /// Whether a range with a hole before it waits until the line is dry, or opens at once.
    const DOUBLE_BUFFERED: bool;

    /// How positions become IDs, once that is known.
    fn ids(&self) -> Option<Self::Ids>;
    /// The same, mutable, for drawing.
    fn ids_mut(&mut self) -> Option<&mut Self::Ids>;
    /// The code for an empty line.
    fn dry_code(&self) -> Code;
    /// The cursor at which asking ahead is due; 0 means always, all ones never.
    fn ask_from(&self, standing: &Standing) -> u64;
    /// The ask to make now.
    fn ask(&mut self, standing: &Standing, request: Token, now: HostTime) -> Self::Ask;
    /// Checks a grant that answers `ask`; `store_now` is the store's time.
    fn vet(
        &self,
        ask: &Self::Ask,
        grant: &Self::Grant,
        standing: &Standing,
        store_now: StoreTime,
    ) -> Result<NewRange, Code>;
    /// Takes a checked grant. Returns for how many ms no further ask is needed, and the range that may
    /// be spent at once, unless a state file has to be written first.
    fn accept(
        &mut self,
        ask: &Self::Ask,
        grant: &Self::Grant,
        range: NewRange,
        now: HostTime,
        store_now: StoreTime,
    ) -> (i64, Option<NewRange>);
    /// Notes that a store refused; whether the lease is lost by it, so that another may be asked for
    /// at once.
    fn refused(&mut self, code: Code) -> bool;
    /// The most IDs that can be given in one go, as far as is known.
    fn most(&self) -> u64;
    /// The most IDs that can be given in one go, whatever an operator may allow.
    fn most_ever(&self) -> u64 {
        self.most()
    }
    /// How many positions the store had left by its last answer, and when that came; `None` where
    /// no operator can change that, or the most that can be given in one go.
    fn left(&self) -> Option<(u64, HostTime)> {
        None
    }
    /// The release of a grant that came after closing: all of it is unused.
    fn release_unopened(&self, ask: &Self::Ask, grant: &Self::Grant) -> Option<Release>;
    /// Gives up the lease: its release, with everything at or above `cursor` unused.
    fn release(&mut self, cursor: u64) -> Option<Release>;
    /// The same, also for what a state file would keep.
    fn give_up(&mut self, cursor: u64) -> Option<Release> {
        self.release(cursor)
    }
    /// Drops the lease without a release, and begins again as a new holder.
    fn forget(&mut self);
    /// The step of [`Stats`](crate::Stats).
    fn step(&self) -> u64;
}

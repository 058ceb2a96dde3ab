//! What the two generators bring: how they ask, what they accept, and how they draw.
//!
//! Everything else (one ask at a time, request ids, back-off, the store's time, what ends a
//! generator) is [`Generator`], once for both.

use core::fmt::Debug;

use super::{Generator, Outcome};
use crate::line::{Ids, Line};
use crate::protocol::{Ask, Grant, Release, StateWrite};
use crate::values::{Code, HostTime, Range, StoreTime, Token};

/// A range that was granted and looked over, ready to be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewRange {
    pub(crate) positions: Range,
    /// The bound's word: worker and end.
    pub(crate) bound: u64,
    /// Whether it only raises the end of the line in hand.
    pub(crate) extends: bool,
}

/// What a generator knows that outlives its rights: facts for its asks and against bad answers.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub(crate) store: Option<Token>,
    /// Where the range in hand ends, or would if the next range adjoined it; positions.
    pub(crate) end: u64,
    /// The highest end that was ever in hand; positions.
    pub(crate) have_until: Option<u64>,
    /// How many IDs a caller waits for at once; 0 when none does.
    pub(crate) wanted: u64,
}

/// When a state file is to be written, if nothing else happens first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteDue {
    /// By time, on the host's clock.
    pub(crate) at: Option<HostTime>,
    /// By draws: the cursor from which on it is due.
    pub(crate) from: u64,
}

/// What a kind does about a state file. One that keeps none has nothing of its own to say. Only this
/// crate can name it, so there are no other kinds.
pub trait Keeps: Sized {
    /// When the file is to be written.
    fn write_due<L: Line>(_: &Generator<Self, L>) -> WriteDue
    where
        Self: Kind,
    {
        WriteDue { at: None, from: u64::MAX }
    }
    /// What is to be written now.
    fn write<L: Line>(_: &mut Generator<Self, L>, _now: HostTime) -> Option<StateWrite>
    where
        Self: Kind,
    {
        None
    }
    /// The write that was out is on the disk, or failed.
    fn written<L: Line>(_: &mut Generator<Self, L>, _is_done: bool, _now: HostTime) -> Outcome
    where
        Self: Kind,
    {
        Outcome::Ignored
    }
    /// Whether what a caller would be refused is granted, and only not written down yet.
    fn is_kept_back<L: Line>(&self, _: &mut L, _now: HostTime) -> bool {
        false
    }
    /// Somebody was refused what is kept back so.
    fn hurry(&mut self) {}
    /// Whether the file still gives a right that must not be used any more.
    fn is_voiding(&self) -> bool {
        false
    }
}

/// What differs between the two generators when they ask, accept and draw: [`Segments`] and
/// [`Snowflakes`](crate::Snowflakes). There are no others: it is sealed. A host names it to be
/// generic over both, as [`refill`](crate::refill) is.
///
/// What one of them asks and is granted has types of its own, so the other's is not passed by
/// mistake:
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
    /// What it asks its store.
    type Ask: Copy + Debug + Send + Into<Ask>;
    /// What its store answers. A grant of the other kind is `GRANT_INVALID`.
    type Grant: Copy + Debug + Send + Into<Grant> + TryFrom<Grant, Error = Code>;
    /// Whether a range with a hole before it waits until the line is dry, or opens at once.
    const DOUBLE_BUFFERED: bool;

    /// How to draw, once that is known.
    fn ids(&self) -> Option<Self::Ids>;
    /// The same, to draw with it.
    fn ids_mut(&mut self) -> Option<&mut Self::Ids>;
    /// The word for an empty line.
    fn dry_code(&self) -> Code;
    /// The cursor at which asking ahead is due; 0 is always, all ones never.
    fn ask_from(&self, standing: &Standing) -> u64;
    /// What to ask for now.
    fn ask(&mut self, standing: &Standing, request: Token, now: HostTime) -> Self::Ask;
    /// Looks a grant over that answers `ask`; `store_now` is the store's time.
    fn vet(
        &self,
        ask: &Self::Ask,
        grant: &Self::Grant,
        standing: &Standing,
        store_now: StoreTime,
    ) -> Result<NewRange, Code>;
    /// Takes a grant that was looked over: for how many ms nothing more needs to be asked, and
    /// what of its range may be spent at once, where no state file has to say so first.
    fn accept(
        &mut self,
        ask: &Self::Ask,
        grant: &Self::Grant,
        range: NewRange,
        now: HostTime,
        store_now: StoreTime,
    ) -> (i64, Option<NewRange>);
    /// Notes that a store refused. Whether it took away what was held: then something else may be
    /// asked for at once.
    fn refused(&mut self, code: Code) -> bool;
    /// How many IDs can be given in one go at most, as far as is known.
    fn most(&self) -> u64;
    /// How many can be given in one go at most, whatever an operator allows by now.
    fn most_ever(&self) -> u64 {
        self.most()
    }
    /// How many positions the store had left when it said so last, and when that was; `None` where
    /// nobody can change that, or the most that can be given in one go.
    fn left(&self) -> Option<(u64, HostTime)> {
        None
    }
    /// The release of a grant that came after closing: nothing of it was used.
    fn release_unopened(&self, ask: &Self::Ask, grant: &Self::Grant) -> Option<Release>;
    /// Gives the lease up: its release, with everything at or above `cursor` unused.
    fn release(&mut self, cursor: u64) -> Option<Release>;
    /// The same with what a state file would keep.
    fn give_up(&mut self, cursor: u64) -> Option<Release> {
        self.release(cursor)
    }
    /// Drops the lease without a word; from now on it is a holder that has just begun.
    fn forget(&mut self);
    /// The step of [`Stats`](crate::Stats).
    fn step(&self) -> u64;
}

//! What the two generators bring: how they ask, what they accept, and how they draw.
//!
//! Everything else (one ask at a time, request ids, back-off, the store's time, what ends a
//! generator) is [`Generator`](crate::Generator), once for both.

use crate::line::Ids;
use crate::protocol::{Ask, Grant, Release};
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

/// What is granted and not in the line yet, because a state file does not say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBack {
    pub(crate) end: u64,
    /// Whether it is a window that the line is to open.
    pub(crate) opens: bool,
}

/// Only this crate says what kinds of generators there are.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// What differs between the two generators when they ask, accept and draw: [`Segments`] and
/// [`Snowflakes`](crate::Snowflakes). There are no others: it is sealed. A host names it to be
/// generic over both, as [`refill`](crate::refill) is.
///
/// [`Segments`]: crate::Segments
pub trait Kind: sealed::Sealed {
    /// How positions become IDs.
    type Ids: Ids;
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
    fn ask(&mut self, standing: &Standing, request: Token, now: HostTime) -> Ask;
    /// Looks a grant over that answers `ask`; `store_now` is the store's time.
    fn vet(
        &self,
        ask: &Ask,
        grant: &Grant,
        standing: &Standing,
        store_now: StoreTime,
    ) -> Result<NewRange, Code>;
    /// Notes a grant that is applied; returns for how many ms nothing more needs to be asked.
    fn accept(&mut self, ask: &Ask, grant: &Grant, now: HostTime, store_now: StoreTime) -> i64;
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
    fn release_unopened(&self, ask: &Ask, grant: &Grant) -> Option<Release>;
    /// Gives the lease up: its release, with everything at or above `cursor` unused.
    fn release(&mut self, cursor: u64) -> Option<Release>;
    /// Drops the lease without a word; from now on it is a holder that has just begun.
    fn forget(&mut self);
    /// Takes a range that may not be used before a state file says so; gives back any other.
    fn hold(&mut self, range: NewRange) -> Option<NewRange> {
        Some(range)
    }
    /// What it holds so.
    fn kept_back(&self) -> Option<KeptBack> {
        None
    }
    /// Somebody was refused what it holds so.
    fn hurry(&mut self) {}
    /// Nothing that was granted may be used any more, in this life or another.
    fn stopped(&mut self) {}
    /// The step of [`Stats`](crate::Stats).
    fn step(&self) -> u64;
}

//! What the two generators bring: how they ask, what they accept, and how they draw.

use crate::ask::{Ask, Grant, Release};
use crate::code::Code;
use crate::draw::Draw;
use crate::range::Range;
use crate::time::Millis;
use crate::token::Token;

/// A range that was granted and looked over, ready to be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its positions.
    pub(crate) positions: Range,
    /// The bound's word: worker and end.
    pub(crate) bound: u64,
    /// Whether it only raises the end of the line in hand.
    pub(crate) extends: bool,
}

/// What a generator knows that outlives its rights: facts for its asks and against bad answers.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub(crate) store: Option<Token>,
    /// Where the range in hand ends, or would if the range held aside adjoined it; positions.
    pub(crate) end: u64,
    /// The highest end that was ever in hand; positions.
    pub(crate) have_until: Option<u64>,
    /// How many IDs a caller waits for at once; 0 when none does.
    pub(crate) wanted: u64,
}

/// Where ranges come from: what differs between the two generators when they ask and accept.
pub trait Source {
    /// How positions become IDs.
    type Draw: Draw;
    /// Whether a range with a hole before it waits until the line is dry, or opens at once.
    const HOLDS_ASIDE: bool;

    /// How to draw, once that is known.
    fn draw(&self) -> Option<Self::Draw>;
    /// The word for an empty line.
    fn dry(&self) -> Code;
    /// The cursor at which asking ahead is due; 0 is always, all ones never.
    fn mark(&self, facts: &Facts) -> u64;
    /// What to ask for now.
    fn ask(&mut self, facts: &Facts, request: Token, now: Millis) -> Ask;
    /// Looks a grant over that answers `ask`; `store_now` is the store's time.
    fn look_over(
        &self,
        ask: &Ask,
        grant: &Grant,
        facts: &Facts,
        store_now: Millis,
    ) -> Result<Offer, Code>;
    /// Notes a grant that is applied; returns for how many ms nothing more needs to be asked.
    fn accept(&mut self, ask: &Ask, grant: &Grant, now: Millis, store_now: Millis) -> i64;
    /// Notes that a store refused. Whether it took away what was held: then something else may be
    /// asked for at once.
    fn refused(&mut self, code: Code) -> bool;
    /// How many IDs can be given in one go at most, as far as is known.
    fn most(&self) -> u64;
    /// The release of a grant that came after closing: nothing of it was used.
    fn unopened(&self, ask: &Ask, grant: &Grant) -> Option<Release>;
    /// Gives the lease up: its release, with everything at or above `cursor` unused.
    fn give_up(&mut self, cursor: u64) -> Option<Release>;
    /// Drops the lease without a word; from now on it is a holder that has just begun.
    fn forget(&mut self);
    /// The step of [`Stats`].
    fn step(&self) -> u64;
}

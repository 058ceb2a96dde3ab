//! The line: one operation, `take(floor, ceiling, n)`, as a pure decision, and the steps that
//! extend, open and close a line, however its two words are stored.
//!
//! While a line is open its cursor never has a value twice, so one swap takes a position once. The
//! bound is read after the cursor; if the swap succeeds, the line was neither opened nor closed in
//! between, and the bound is this opening's, or an earlier and lower one.

mod ids;
mod own;
#[cfg(target_has_atomic = "64")]
mod shared;

pub use ids::Ids;
pub use own::OwnLine;
#[cfg(target_has_atomic = "64")]
pub use shared::SharedLine;

use core::hint::cold_path;

use crate::values::{HostTime, Offset, Range, StoreTime};

/// The bit that is set in the cursor of a closed line; the other bits keep the position. No position
/// has it, as none lies above [`LINE_END`](crate::LINE_END).
pub(crate) const CLOSED: u64 = 1 << 63;

/// How to read the bound's word: `end << worker_bits | worker`, where the end is a position. Both
/// are in one word so that they change together: a thread that read the worker of one window and the
/// end of the next would stamp IDs that were never granted.
///
/// A position is `tick << sequence_bits | sequence`, or the number. It does not contain the worker,
/// so one worker's time is as dense as a line of numbers, and one decision serves both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    worker_bits: u8,
    sequence_bits: u8,
    /// Whether a line of this shape reopens strictly above the tick in which it was closed.
    reopens_above: bool,
}

impl Shape {
    /// A line of numbers, without workers or ticks.
    pub(crate) const NUMBERS: Shape =
        Shape { worker_bits: 0, sequence_bits: 0, reopens_above: false };

    /// A worker's time.
    pub(crate) const fn ticks(worker_bits: u8, sequence_bits: u8) -> Shape {
        Shape { worker_bits, sequence_bits, reopens_above: true }
    }

    /// The bound's word for this worker and this end, a tick or a number.
    pub(crate) const fn bound(self, worker: u32, end: u64) -> u64 {
        self.position(end).wrapping_shl(self.worker_bits as u32) | worker as u64
    }

    /// The worker of a bound; 0 for numbers.
    #[inline]
    pub(crate) const fn worker(self, bound: u64) -> u32 {
        (bound & !u64::MAX.wrapping_shl(self.worker_bits as u32)) as u32
    }

    /// The end of the bound as a position.
    #[inline]
    pub(crate) const fn end(self, bound: u64) -> u64 {
        bound.wrapping_shr(self.worker_bits as u32)
    }

    #[inline]
    pub(crate) const fn position(self, tick: u64) -> u64 {
        tick.wrapping_shl(self.sequence_bits as u32)
    }

    #[inline]
    pub(crate) const fn tick(self, position: u64) -> u64 {
        position.wrapping_shr(self.sequence_bits as u32)
    }

    /// The first tick at or above a position: none of it was taken.
    pub(crate) const fn first_unused_tick(self, cursor: u64) -> u64 {
        let tick = self.tick(cursor);
        if self.position(tick) < cursor { tick.saturating_add(1) } else { tick }
    }

    /// Where a line that was closed at `cursor` reopens. A window reopens strictly above that tick:
    /// within it, a thread that stalled before the closing could stamp what the old worker gave back.
    /// Numbers need no such gap: a range never begins below an end seen.
    fn reopen(self, cursor: u64) -> u64 {
        if !self.reopens_above {
            return cursor;
        }
        self.position(self.tick(cursor).saturating_add(1))
    }
}

/// Positions that were taken, and their worker: [`Ids::id`] makes an ID of each. They are spent, and
/// belong to the caller alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The positions.
    pub positions: Range,
    /// The worker number; 0 on a line of numbers.
    pub worker: u32,
}

/// Why a line gave nothing; [`Ids::refusal`] turns it into a [`Code`](crate::Code).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No range is open.
    Closed,
    /// The range is used up.
    Dry,
    /// The next position, this one, does not lie below the ceiling.
    Ceiling(u64),
}

/// The decision, which changes nothing: the first `n` positions, and not fewer than `least`, at or
/// above `max(cursor, floor)` and below `min(end, ceiling)`.
///
/// The ceiling is checked before the end, so that a caller who only has to wait for the clock is not
/// sent to ask the store.
#[inline]
pub(crate) fn decide(
    cursor: u64,
    end: u64,
    limits: Range,
    least: u64,
    n: u64,
) -> Result<Range, Stop> {
    let mut start = cursor;
    if start < limits.start {
        cold_path();
        start = limits.start;
    }
    let until = end.min(limits.end);
    if start >= until {
        cold_path();
        return Err(if start >= limits.end { Stop::Ceiling(start) } else { Stop::Dry });
    }
    let mut n = n;
    let left = until.wrapping_sub(start);
    if left < n {
        cold_path();
        n = left;
    }
    if n < least {
        return Err(Stop::Dry);
    }
    Ok(Range::new(start, start.wrapping_add(n)))
}

/// Proof that a call comes from this crate: no other code may write the two words of a line.
#[derive(Clone, Copy, Debug)]
pub struct Inside(());

/// The only value.
pub(crate) const INSIDE: Inside = Inside(());

/// Two words: `cursor`, the next unused position, and `bound`, worker and end; and the store's time.
///
/// | implementation | for | a draw costs |
/// |---|---|---|
/// | [`OwnLine`] | one owner, by `&mut` | a comparison and an addition |
/// | `SharedLine` | many threads, where there are 64-bit atomics | one compare-and-swap, again if another thread won |
///
/// The provided methods are the protocol, the same for both; the required ones are single loads and
/// stores. The methods that write take an `Inside`, which only this crate has: a host reads a line
/// and draws from it, and only the generator opens and closes it.
pub trait Line {
    /// The next unused position, with the highest bit set while the line is closed, so that one load
    /// tells both. [`Line::stands_at`] is the position alone.
    fn cursor(&self) -> u64;
    /// Worker and end.
    fn bound(&self) -> u64;
    /// Sets the cursor if it still is `from`.
    ///
    /// # Errors
    /// The cursor that was found instead.
    fn compare_swap(&mut self, _: Inside, from: u64, to: u64) -> Result<(), u64>;
    /// Sets the highest bit of the cursor in one step, after which no `compare_swap` that began before
    /// succeeds.
    fn set_closed(&mut self, _: Inside);
    /// Sets the cursor.
    fn put_cursor(&mut self, _: Inside, to: u64);
    /// Sets the bound.
    fn put_bound(&mut self, _: Inside, to: u64);
    /// The store's time at this reading of the host's clock. It never goes back by itself, and is
    /// meaningless until an answer of the store has set the offset.
    fn now(&mut self, host: HostTime) -> StoreTime;
    /// The difference between the store's clock and the host's.
    fn offset(&self) -> Offset;
    /// Sets the offset; the store's time is never below `not_before` from now on.
    fn put_offset(&mut self, _: Inside, offset: Offset, not_before: StoreTime);

    /// Takes up to `n` positions inside `limits` (floor and ceiling). A refusal changes nothing.
    ///
    /// # Errors
    /// [`Stop`]: closed, dry, or above the ceiling.
    #[inline]
    fn take(&mut self, shape: Shape, limits: Range, n: u64) -> Result<Run, Stop> {
        self.take_between(shape, limits, 1, n)
    }

    /// Takes up to `n` positions inside `limits`, and not fewer than `least`. A refusal changes
    /// nothing.
    ///
    /// The order makes it safe: cursor, bound, swap. If the swap succeeds the cursor was not written
    /// since, so the line was neither opened nor closed in between, and the bound belongs to this
    /// opening. It may have been raised meanwhile; the lower end that was read is safe.
    ///
    /// # Errors
    /// As [`Line::take`]; also dry where there are too few.
    #[inline]
    fn take_between(
        &mut self,
        shape: Shape,
        limits: Range,
        least: u64,
        n: u64,
    ) -> Result<Run, Stop> {
        let mut cursor = self.cursor();
        loop {
            let bound = self.bound();
            let positions = match decide(cursor, shape.end(bound), limits, least, n) {
                Ok(positions) => positions,
                // The bit that says so lies above every end.
                Err(_) if cursor & CLOSED != 0 => return Err(Stop::Closed),
                Err(stop) => return Err(stop),
            };
            match self.compare_swap(INSIDE, cursor, positions.end) {
                Ok(()) => return Ok(Run { positions, worker: shape.worker(bound) }),
                Err(seen) => cursor = seen,
            }
        }
    }

    /// Raises the end: the new range begins where the line ends, on the same worker. Other threads go on
    /// drawing meanwhile and see the old end or the new one.
    fn extend(&mut self, _: Inside, bound: u64) {
        self.put_bound(INSIDE, bound);
    }

    /// Whether the line is closed.
    #[inline]
    fn is_closed(&self) -> bool {
        self.cursor() & CLOSED != 0
    }

    /// The first position that was not taken, closed or not.
    fn stands_at(&self) -> u64 {
        self.cursor() & !CLOSED
    }

    /// Closes the line where it stands; nothing is taken any more.
    fn close(&mut self, _: Inside) {
        self.set_closed(INSIDE);
    }

    /// Moves a closed line to another position. One caller at a time.
    fn close_at(&mut self, _: Inside, position: u64) {
        self.put_cursor(INSIDE, CLOSED | position);
    }

    /// Opens a closed line on another range, above where it stood. One caller at a time.
    ///
    /// The bound is written before the cursor, so a thread that sees the line open sees its new bound.
    fn open(&mut self, _: Inside, shape: Shape, start: u64, bound: u64) {
        let cursor = start.max(shape.reopen(self.stands_at()));
        self.put_bound(INSIDE, bound);
        self.put_cursor(INSIDE, cursor);
    }
}

//! The line for one owner, by `&mut`.
//!
//! `&mut` is the lock: nothing can happen between reading the cursor and the swap, so the swap always
//! succeeds, and a draw is a comparison and an addition.

use super::{CLOSED, Inside, Line};
use crate::values::{HostTime, Offset, StoreTime};

/// A line for one owner, which [`Segment::new`](crate::Segment) and
/// [`Snowflake::new`](crate::Snowflake) use. For many threads there is
/// [`SharedLine`](crate::SharedLine).
///
/// `Copy`, unlike a generator, so that a test can make the copy that a fork makes
/// ([`Generator::image`](crate::Generator::image)).
#[derive(Clone, Copy, Debug)]
pub struct OwnLine {
    cursor: u64,
    bound: u64,
    offset: Offset,
    /// The largest time that was computed so far: the store's time does not go back with the host's
    /// clock.
    last_now: StoreTime,
}

impl OwnLine {
    /// Makes a closed line, which gives nothing until a generator opens it on a grant.
    pub const fn new() -> OwnLine {
        OwnLine { cursor: CLOSED, bound: 0, offset: Offset::new(0), last_now: StoreTime::MIN }
    }
}

impl Default for OwnLine {
    fn default() -> OwnLine {
        OwnLine::new()
    }
}

impl Line for OwnLine {
    #[inline]
    fn cursor(&self) -> u64 {
        self.cursor
    }

    #[inline]
    fn bound(&self) -> u64 {
        self.bound
    }

    #[inline]
    fn compare_swap(&mut self, _: Inside, _from: u64, to: u64) -> Result<(), u64> {
        self.cursor = to;
        Ok(())
    }

    fn set_closed(&mut self, _: Inside) {
        self.cursor |= CLOSED;
    }

    fn put_cursor(&mut self, _: Inside, to: u64) {
        self.cursor = to;
    }

    fn put_bound(&mut self, _: Inside, to: u64) {
        self.bound = to;
    }

    #[inline]
    fn now(&mut self, host: HostTime) -> StoreTime {
        let now = self.offset.to_store(host);
        if now > self.last_now {
            self.last_now = now;
        }
        self.last_now
    }

    fn offset(&self) -> Offset {
        self.offset
    }

    fn put_offset(&mut self, _: Inside, offset: Offset, not_before: StoreTime) {
        self.last_now = not_before;
        self.offset = offset;
    }
}

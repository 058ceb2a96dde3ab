//! Half-open ranges.

/// `start <= x < end`, of positions, numbers or ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// The first one.
    pub start: u64,
    /// One more than the last one.
    pub end: u64,
}

/// One more than the largest number that an ID may be: ends must fit a signed 64-bit column.
pub const LINE_END: u64 = i64::MAX as u64;

impl Range {
    /// From `start` up to, but without, `end`.
    pub const fn new(start: u64, end: u64) -> Range {
        Range { start, end }
    }

    /// How many are in it.
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether none is.
    pub const fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Whether `x` is in it.
    pub const fn contains(&self, x: u64) -> bool {
        self.start <= x && x < self.end
    }
}

//! Half-open ranges.

/// `start <= x < end`, of positions, numbers or ticks. Half-open, so that one range begins where the
/// adjoining one ends, and the length is a subtraction.
///
/// ```
/// use leafid_core::Range;
/// let segment = Range::new(1_001, 2_001);
/// assert_eq!(segment.len(), 1_000);
/// assert!(segment.contains(1_001) && segment.contains(2_000) && !segment.contains(2_001));
/// // A range that ends before it begins is empty, not an error.
/// assert!(Range::new(5, 5).is_empty() && Range::new(5, 2).is_empty());
/// assert_eq!(Range::new(5, 2).len(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// The first one.
    pub start: u64,
    /// One more than the last one.
    pub end: u64,
}

/// 2^63 - 1, the highest end of a range: ends must fit a signed 64-bit column (`BIGINT`), too. So the
/// last number of a tag is 2^63 - 2; a snowflake may have all 63 bits set.
pub const LINE_END: u64 = i64::MAX as u64;

impl Range {
    /// The range from `start` to `end`, exclusive.
    pub const fn new(start: u64, end: u64) -> Range {
        Range { start, end }
    }

    /// The number of elements.
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the range is empty.
    pub const fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Whether `x` is in the range.
    pub const fn contains(&self, x: u64) -> bool {
        self.start <= x && x < self.end
    }
}

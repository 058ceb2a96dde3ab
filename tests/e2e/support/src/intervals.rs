//! A set of numbers, kept as disjoint ranges.

use std::collections::BTreeMap;

/// A set of numbers as half-open ranges. Touching ranges are joined, so that its size grows with holes,
/// not with numbers.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    ranges: BTreeMap<u64, u64>,
}

impl Intervals {
    /// Adds `[start, end)`; gives how many of its numbers were there already.
    pub fn add(&mut self, start: u64, end: u64) -> u64 {
        if start >= end {
            return 0;
        }
        let (mut from, mut to, mut twice) = (start, end, 0);
        // From the last range backwards: those that begin at or below `end` and reach `start`.
        while let Some((&a, &b)) = self.ranges.range(..=end).next_back()
            && b >= start
        {
            twice += b.min(end).saturating_sub(a.max(start));
            from = from.min(a);
            to = to.max(b);
            self.ranges.remove(&a);
        }
        self.ranges.insert(from, to);
        twice
    }

    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|(start, end)| end - start).sum()
    }
}

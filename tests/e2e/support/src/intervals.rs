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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Intervals;

    #[test]
    fn what_comes_twice_is_counted_exactly() {
        // Compared with a plain set of numbers, over many small random ranges.
        let (mut set, mut plain) = (Intervals::default(), BTreeSet::new());
        let mut seed = 7_u64;
        for _ in 0..2_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let start = (seed >> 33) % 3_000;
            let end = start + (seed >> 50) % 9;
            let twice = (start..end).filter(|number| !plain.insert(*number)).count() as u64;
            assert_eq!(set.add(start, end), twice, "[{start}, {end})");
        }
        assert_eq!(set.count(), plain.len() as u64);
    }
}

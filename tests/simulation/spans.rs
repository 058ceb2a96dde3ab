//! The owners of numbers, as intervals that are merged where they touch, so that memory grows with the
//! number of holes, not of IDs.

use std::collections::BTreeMap;

use leafid_core::Range;

#[derive(Clone, Debug, Default)]
pub struct Owned(BTreeMap<u64, (u64, u64)>);

impl Owned {
    /// Gives a range to an owner, who may have parts of it already; fails if another has any.
    pub fn claim(&mut self, range: Range, owner: u64) -> Result<(), (Range, u64)> {
        if range.is_empty() {
            return Ok(());
        }
        let mut merged = range;
        let mut inside = Vec::new();
        for (&start, &(end, other)) in self.0.range(..=range.end).rev() {
            if end < range.start {
                break;
            }
            let touches_only = end == range.start || start == range.end;
            if other == owner {
                inside.push(start);
                merged = Range::new(merged.start.min(start), merged.end.max(end));
            } else if !touches_only {
                return Err((Range::new(start.max(range.start), end.min(range.end)), other));
            }
        }
        for start in inside {
            self.0.remove(&start);
        }
        self.0.insert(merged.start, (merged.end, owner));
        Ok(())
    }

    /// Takes back the numbers of an owner from `from` on.
    pub fn give_back(&mut self, from: u64, owner: u64) {
        let above = self.0.iter().rev().take_while(|(_, (end, _))| *end > from);
        let theirs: Vec<u64> =
            above.filter(|(_, (_, whose))| *whose == owner).map(|(&start, _)| start).collect();
        for start in theirs {
            if start < from {
                self.0.insert(start, (from, owner));
            } else {
                self.0.remove(&start);
            }
        }
    }

    /// The first number of the range whose owner `is_theirs` rejects, and that owner, if any.
    pub fn first_foreign(
        &self,
        range: Range,
        is_theirs: impl Fn(u64) -> bool,
    ) -> Option<(u64, Option<u64>)> {
        let mut at = range.start;
        while at < range.end {
            match self.0.range(..=at).next_back() {
                Some((_, &(end, owner))) if end > at => {
                    if !is_theirs(owner) {
                        return Some((at, Some(owner)));
                    }
                    at = end;
                }
                _ => return Some((at, None)),
            }
        }
        None
    }
}

//! The owners of numbers, as intervals that are merged where they touch, so that memory grows with the
//! number of holes, not of IDs.

use std::collections::BTreeMap;

/// Start and end (exclusive).
pub type Interval = (u64, u64);

#[derive(Clone, Debug, Default)]
pub struct Owned(BTreeMap<u64, (u64, u64)>);

impl Owned {
    /// Gives a range to an owner, who may have parts of it already; fails with a part that another has.
    pub fn claim(&mut self, (start, end): Interval, owner: u64) -> Result<(), (Interval, u64)> {
        if start >= end {
            return Ok(());
        }
        let mut merged = (start, end);
        let mut inside = Vec::new();
        for (&from, &(to, other)) in self.0.range(..=end).rev() {
            if to < start {
                break;
            }
            let touches_only = to == start || from == end;
            if other == owner {
                inside.push(from);
                merged = (merged.0.min(from), merged.1.max(to));
            } else if !touches_only {
                return Err(((from.max(start), to.min(end)), other));
            }
        }
        for from in inside {
            self.0.remove(&from);
        }
        self.0.insert(merged.0, (merged.1, owner));
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
        (start, end): Interval,
        is_theirs: impl Fn(u64) -> bool,
    ) -> Option<(u64, Option<u64>)> {
        let mut at = start;
        while at < end {
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

//! The search for numbers without rows, between those that have rows.

use alloc::vec::Vec;

use super::{Query, query};
use crate::want::{Answer, Want};

/// A want that is being read. Finding numbers without rows may take several reads.
pub struct Reading {
    /// The want that the answer is for.
    pub want: Want,
    next: Want,
    unused: Vec<u64>,
}

impl Reading {
    /// Begins the reading of a want.
    pub fn of(want: Want) -> Reading {
        Reading { want, next: want, unused: Vec::new() }
    }

    /// The query to run next.
    pub fn query(&self) -> Query {
        query(&self.next)
    }

    /// Takes in what the query found, and gives the answer, unless more has to be read.
    pub fn learn(&mut self, found: Answer) -> Option<Answer> {
        let (Want::Unused { from, end, count, .. }, Answer::Unused(used)) =
            (&mut self.next, &found)
        else {
            return Some(found);
        };
        let enough = gaps(used, from, *end, *count, &mut self.unused);
        enough.then(|| Answer::Unused(core::mem::take(&mut self.unused)))
    }
}

/// Numbers per read in the search for one without a row: the limit in the text.
const STRETCH: usize = 1_000;

/// Collects the lowest numbers from `next` on that are not in `used`; says whether that is enough, or more
/// of `used` has to be read.
fn gaps(used: &[u64], next: &mut u64, end: u64, count: usize, found: &mut Vec<u64>) -> bool {
    let enough =
        |found: &Vec<u64>| found.len() >= count || found.last().is_some_and(|last| *last >= end);
    for used in used {
        while *next < *used && !enough(found) {
            found.push(*next);
            *next += 1;
        }
        if enough(found) {
            return true;
        }
        *next = used.saturating_add(1);
    }
    // A full read may not be the last.
    if used.len() >= STRETCH {
        return false;
    }
    while !enough(found) {
        found.push(*next);
        *next = next.saturating_add(1);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_rows_are_found_between_those_that_have_some() {
        for (used, from, end, count, gives) in [
            (&[][..], 5, 100, 3, &[5, 6, 7][..]),
            (&[5, 6, 8], 5, 100, 3, &[7, 9, 10]),
            (&[6], 5, 100, 1, &[5]),
            (&[5], 5, 6, 4, &[6]),
            (&[5], 5, 5, 4, &[6]),
            (&[], 5, 7, 4, &[5, 6, 7]),
        ] {
            let (mut next, mut found) = (from, Vec::new());
            assert!(gaps(used, &mut next, end, count, &mut found));
            assert_eq!(found, gives, "{used:?} {from} {end} {count}");
        }
        let many: Vec<u64> = (0..STRETCH as u64).collect();
        let (mut next, mut found) = (0, Vec::new());
        assert!(!gaps(&many, &mut next, 2_000, 1, &mut found));
        assert_eq!((next, found.len()), (STRETCH as u64, 0));
    }
}

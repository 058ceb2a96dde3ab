//! Which worker numbers entered or left the range of a namespace, and at which of its changes: a
//! row that was written before that has neither owner nor key any more. So a change of the range
//! writes one key, however many numbers it concerns.

use leafid_core::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub numbers: Range,
    /// The last change that moved them in or out.
    pub at: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    pub count: u64,
    /// What the last one was of each number that was moved, in order, without overlaps.
    pub parts: Vec<Part>,
}

impl Moves {
    /// The change that moved a number last; 0 if none did.
    pub fn at(&self, worker: u32) -> u64 {
        let part = self.parts.iter().find(|part| part.numbers.contains(worker.into()));
        part.map_or(0, |part| part.at)
    }

    pub fn then(&self, before: Range, after: Range) -> Moves {
        let mut moves = Moves { count: self.count + 1, parts: self.parts.clone() };
        for numbers in difference(before, after) {
            moves.lay(Part { numbers, at: moves.count });
        }
        moves
    }

    fn lay(&mut self, part: Part) {
        let Range { start, end } = part.numbers;
        let cut = |other: &Part| {
            let Range { start: from, end: to } = other.numbers;
            let left = Range::new(from, to.min(start));
            let right = Range::new(from.max(end), to);
            [left, right].map(|numbers| Part { numbers, ..*other })
        };
        let rest = self.parts.iter().flat_map(cut).chain([part]);
        let mut parts: Vec<Part> = rest.filter(|part| !part.numbers.is_empty()).collect();
        parts.sort_by_key(|part| part.numbers.start);
        parts.dedup_by(|next, last| {
            let same = last.at == next.at && last.numbers.end == next.numbers.start;
            if same {
                last.numbers.end = next.numbers.end;
            }
            same
        });
        self.parts = parts;
    }
}

/// The numbers that are in one of two ranges alone.
fn difference(one: Range, other: Range) -> [Range; 2] {
    if one.end <= other.start || other.end <= one.start {
        return [one, other];
    }
    let starts = Range::new(one.start.min(other.start), one.start.max(other.start));
    let ends = Range::new(one.end.min(other.end), one.end.max(other.end));
    [starts, ends]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the plain reading: each change looks at each number.
    #[test]
    fn it_knows_of_each_number_when_it_moved_last() {
        let mut seed = 7_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let (mut moves, mut plain) = (Moves::default(), [0; 40]);
            let mut range = Range::new(0, 40);
            for change in 1..=12 {
                let start = draw(39);
                let next = Range::new(start, start + 1 + draw(40 - start));
                moves = moves.then(range, next);
                for (number, at) in (0..).zip(&mut plain) {
                    if range.contains(number) != next.contains(number) {
                        *at = change;
                    }
                }
                range = next;
            }
            let known: Vec<u64> = (0..40).map(|number| moves.at(number)).collect();
            assert_eq!((known.as_slice(), moves.count), (plain.as_slice(), 12));
            assert!(moves.parts.windows(2).all(|two| two[0].numbers.end <= two[1].numbers.start));
        }
    }
}

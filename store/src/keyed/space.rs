//! A server's index of a namespace: its row, and the rows of its numbers as of the last survey.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::{Namespace, WorkerRow};
use leafid_core::{Name, Range, StoreTime, Token};

use super::engine::Mark;
use crate::backends::{NamespaceRow, Seen};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    pub namespace: Namespace,
    pub moves: Moves,
}

/// The row of a worker number as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The row.
    pub row: WorkerRow,
    /// How often the namespace's range had changed when the row was written.
    pub moves: u64,
}

impl Held {
    /// The effective row: a number that moved in or out of the range since has lost its owner and key.
    pub fn counts(&self, worker: u32, moves: &Moves) -> WorkerRow {
        if self.moves < moves.at(worker) { self.row.revoked() } else { self.row }
    }
}

pub type Worker = (u32, Seen<WorkerRow>);

#[derive(Clone, Debug)]
pub struct Known {
    pub space: Space,
    pub revision: u64,
    /// Up to which write the rows were read, and the turn in which that was the last one.
    pub mark: Mark,
    pub turn: u64,
    /// Numbers that are read again with the next survey.
    pub doubtful: BTreeSet<u32>,
    rows: BTreeMap<u32, Row>,
    unused: u64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// The value; if it is unreadable, the number is not granted.
    held: Option<Held>,
    revision: u64,
}

impl Known {
    pub fn new(space: Space, revision: u64) -> Known {
        let unused = space.namespace.workers.start;
        let (mark, doubtful, rows) = Default::default();
        Known { space, revision, mark, turn: 0, doubtful, rows, unused }
    }

    pub fn settle(&mut self, space: Space, revision: u64) {
        if self.space.namespace.workers != space.namespace.workers {
            self.unused = space.namespace.workers.start;
        }
        (self.space, self.revision) = (space, revision);
        self.pass_used();
    }

    pub fn learn(&mut self, worker: u32, held: Option<Held>, revision: u64) {
        self.rows.insert(worker, Row { held, revision });
        self.doubtful.remove(&worker);
        self.pass_used();
    }

    fn pass_used(&mut self) {
        while u32::try_from(self.unused).is_ok_and(|first| self.has(first)) {
            self.unused += 1;
        }
    }

    pub fn namespace(&self) -> Seen<NamespaceRow> {
        let row = NamespaceRow { namespace: self.space.namespace, used_until: self.unused };
        Seen { row, revision: self.revision }
    }

    fn seen(&self, (worker, row): (&u32, &Row)) -> Option<Worker> {
        let effective = row.held?.counts(*worker, &self.space.moves);
        Some((*worker, Seen { row: effective, revision: row.revision }))
    }

    pub fn worker(&self, worker: u32) -> Option<Seen<WorkerRow>> {
        self.seen((&worker, self.rows.get(&worker)?)).map(|(_, seen)| seen)
    }

    pub fn has(&self, worker: u32) -> bool {
        self.rows.contains_key(&worker)
    }

    fn all(&self) -> impl Iterator<Item = Worker> {
        self.rows.iter().filter_map(|row| self.seen(row))
    }

    fn is_inside(&self, worker: u32) -> bool {
        self.space.namespace.workers.contains(worker.into())
    }

    pub fn mine(&self, request: Token) -> Option<Worker> {
        self.all().find(|(_, Seen { row, .. })| row.key == Some(request))
    }

    /// The first two numbers that an owner keeps, those inside the range first.
    pub fn own(&self, owner: &Name) -> Vec<Worker> {
        let own = |(_, Seen { row, .. }): &Worker| row.sticky && row.owner == *owner;
        first(self.all().filter(own), 2, |(worker, _)| (!self.is_inside(*worker), *worker))
    }

    /// Numbers inside the range that no owner keeps, in order of the ends of their reserved times.
    pub fn rested(&self, count: usize) -> Vec<Worker> {
        let rested = |(worker, seen): &Worker| !seen.row.sticky && self.is_inside(*worker);
        first(self.all().filter(rested), count, |(n, seen)| (seen.row.reserved_until, *n))
    }

    /// Numbers inside the range that an owner keeps, in order of the owners' last grants.
    pub fn kept(&self, count: usize) -> Vec<Worker> {
        let kept = |(worker, seen): &Worker| seen.row.sticky && self.is_inside(*worker);
        first(self.all().filter(kept), count, |(n, seen)| (seen.row.granted, *n))
    }

    /// The lowest numbers without a row from `from` on, up to the first at or above `end`.
    pub fn unused(&self, from: u64, end: u64, count: usize) -> Vec<u64> {
        let start = self.space.namespace.workers.start;
        let mut next = if (start..self.unused).contains(&from) { self.unused } else { from };
        let mut found = Vec::new();
        while found.len() < count && found.last().is_none_or(|last| *last < end) {
            while u32::try_from(next).is_ok_and(|number| self.has(number)) {
                next += 1;
            }
            found.push(next);
            next += 1;
        }
        found
    }

    pub fn after(&self, worker: Option<u32>, count: usize) -> Vec<Worker> {
        self.all().filter(|(n, _)| worker.is_none_or(|after| *n > after)).take(count).collect()
    }

    /// The number that is reserved longest of those that leave a range.
    pub fn leaving(&self, before: Range, after: Range) -> Option<Worker> {
        let leaves = |worker: u32| before.contains(worker.into()) && !after.contains(worker.into());
        let all = self.all().filter(|(worker, _)| leaves(*worker));
        all.max_by_key(|(_, seen)| seen.row.reserved_until)
    }

    pub fn latest(&self) -> StoreTime {
        let granted = self.all().map(|(_, seen)| seen.row.granted);
        granted.max().unwrap_or(StoreTime::new(0))
    }

    pub fn later(&self, now: StoreTime) -> impl Iterator<Item = (u32, Held, u64)> {
        let later = move |held: &Held| held.row.granted > now;
        let held = move |(worker, row): (&u32, &Row)| {
            Some((*worker, row.held.filter(later)?, row.revision))
        };
        self.rows.iter().filter_map(held)
    }
}

fn first<K: Ord>(
    workers: impl Iterator<Item = Worker>,
    count: usize,
    order: impl Fn(&Worker) -> K,
) -> Vec<Worker> {
    let mut workers: Vec<Worker> = workers.collect();
    workers.sort_unstable_by_key(order);
    workers.truncate(count);
    workers
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub numbers: Range,
    /// The last change of the range that moved these numbers in or out.
    pub at: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    pub count: u64,
    /// The last change of each number that was ever moved, in order, without overlaps.
    pub parts: Vec<Part>,
}

impl Moves {
    /// The last change that moved a number; 0 if none did.
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

/// The numbers that are in exactly one of two ranges.
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

    /// Compares with a simple model that keeps the last change of each number.
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

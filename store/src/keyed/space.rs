//! A server's index of a namespace: its row, and the rows of its numbers that were read, by several orders.
//!
//! The rows are as of their bucket's last touch. A server that changes an owner or a key, or releases a
//! number early, touches the bucket; one that grants a renewal does not. So a known row may be reserved
//! for longer than the index has it, but is right in all else: a number that looks free is read again
//! before it is offered.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::{Namespace, WorkerRow};
use leafid_core::{Name, Range, StoreTime, Token};

use super::engine::Marks;
use crate::backends::{Answer, NamespaceRow, Seen};

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

#[derive(Clone, Debug)]
pub struct Known {
    pub space: Space,
    pub revision: u64,
    pub marks: Marks,
    pub turn: u64,
    /// Numbers with rows that may have changed by more than a renewal.
    pub doubtful: BTreeSet<u32>,
    rows: BTreeMap<u32, Row>,
    keys: BTreeMap<Token, u32>,
    owned: BTreeMap<Name, BTreeSet<u32>>,
    rested: BTreeSet<(u64, u32)>,
    kept: BTreeSet<(StoreTime, u32)>,
    unused: u64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    held: Held,
    revision: u64,
    turn: u64,
    /// Whether the value is unreadable, so that the number is not granted.
    bad: bool,
}

impl Known {
    pub fn new(space: Space, revision: u64) -> Known {
        let unused = space.namespace.workers.start;
        let (marks, doubtful, rows, keys, owned, rested, kept) = Default::default();
        Known { space, revision, marks, turn: 0, doubtful, rows, keys, owned, rested, kept, unused }
    }

    pub fn settle(&mut self, space: Space, revision: u64) {
        self.revision = revision;
        let (before, after) = (self.space.namespace.workers, space.namespace.workers);
        let same = before == after && self.space.moves == space.moves;
        self.space = space;
        if same {
            return;
        }
        let rows = std::mem::take(&mut self.rows);
        (self.keys, self.owned) = Default::default();
        (self.rested, self.kept) = Default::default();
        self.unused = after.start;
        for (worker, row) in rows {
            self.enter(worker, row);
        }
    }

    pub fn learn(&mut self, worker: u32, held: Held, revision: u64, turn: u64) {
        self.leave(worker);
        self.enter(worker, Row { held, revision, turn, bad: false });
    }

    pub fn shun(&mut self, worker: u32, revision: u64, turn: u64) {
        self.leave(worker);
        let held = Held { row: WorkerRow::default(), moves: 0 };
        self.enter(worker, Row { held, revision, turn, bad: true });
    }

    fn leave(&mut self, worker: u32) {
        let Some(row) = self.rows.remove(&worker) else { return };
        let row = row.held.counts(worker, &self.space.moves);
        self.rested.remove(&(row.reserved_until, worker));
        self.kept.remove(&(row.granted, worker));
        if let Some(key) = row.key
            && self.keys.get(&key) == Some(&worker)
        {
            self.keys.remove(&key);
        }
        if let Some(kept) = self.owned.get_mut(&row.owner) {
            kept.remove(&worker);
            if kept.is_empty() {
                self.owned.remove(&row.owner);
            }
        }
    }

    fn enter(&mut self, worker: u32, known: Row) {
        let row = known.held.counts(worker, &self.space.moves);
        self.rows.insert(worker, known);
        while u32::try_from(self.unused).is_ok_and(|first| self.rows.contains_key(&first)) {
            self.unused += 1;
        }
        if known.bad {
            return;
        }
        row.key.map(|key| self.keys.insert(key, worker));
        if row.sticky {
            self.owned.entry(row.owner).or_default().insert(worker);
        }
        if self.space.namespace.workers.contains(worker.into()) {
            if row.sticky {
                self.kept.insert((row.granted, worker));
            } else {
                self.rested.insert((row.reserved_until, worker));
            }
        }
    }

    pub fn namespace(&self) -> Seen<NamespaceRow> {
        let row = NamespaceRow { namespace: self.space.namespace, used_until: self.unused };
        Seen { row, revision: self.revision }
    }

    pub fn worker(&self, worker: u32) -> Option<Seen<WorkerRow>> {
        let known = self.rows.get(&worker).filter(|known| !known.bad)?;
        let row = known.held.counts(worker, &self.space.moves);
        Some(Seen { row, revision: known.revision })
    }

    pub fn rows(&self, workers: impl IntoIterator<Item = u32>) -> Answer {
        let row = |worker| Some((worker, self.worker(worker)?));
        Answer::Workers(workers.into_iter().filter_map(row).collect())
    }

    pub fn has(&self, worker: u32) -> bool {
        self.rows.contains_key(&worker)
    }

    pub fn is_of(&self, worker: u32, turn: u64) -> bool {
        self.rows.get(&worker).is_some_and(|known| known.turn == turn)
    }

    pub fn mine(&self, request: Token) -> Option<u32> {
        self.keys.get(&request).copied()
    }

    /// The first two numbers that an owner keeps, those inside the range first.
    pub fn own(&self, owner: &Name) -> Vec<u32> {
        let all = self.owned.get(owner).into_iter().flatten().copied();
        let inside = |worker: &u32| self.space.namespace.workers.contains((*worker).into());
        let (mut first, then): (Vec<u32>, Vec<u32>) = all.partition(inside);
        first.extend(then);
        first.truncate(2);
        first
    }

    /// Numbers that no owner keeps, in order of the ends of their reserved times.
    pub fn rested(&self) -> impl Iterator<Item = u32> {
        self.rested.iter().map(|(_, worker)| *worker)
    }

    /// Numbers that an owner keeps, in order of the owners' last grants.
    pub fn kept(&self) -> impl Iterator<Item = u32> {
        self.kept.iter().map(|(_, worker)| *worker)
    }

    pub fn is_used_up(&self) -> bool {
        self.unused >= self.space.namespace.workers.end
    }

    /// The lowest numbers without a row from `from` on, up to the first at or above `end`.
    pub fn unused(&self, from: u64, end: u64, count: usize) -> Vec<u64> {
        let start = self.space.namespace.workers.start;
        let mut next = if (start..self.unused).contains(&from) { self.unused } else { from };
        let mut found = Vec::new();
        while found.len() < count && found.last().is_none_or(|last| *last < end) {
            while u32::try_from(next).is_ok_and(|number| self.rows.contains_key(&number)) {
                next += 1;
            }
            found.push(next);
            next += 1;
        }
        found
    }

    pub fn after(&self, worker: Option<u32>) -> impl Iterator<Item = u32> {
        let from = worker.map_or(Some(0), |after| after.checked_add(1));
        let rows = from.map(|from| self.rows.range(from..));
        rows.into_iter().flatten().map(|(worker, _)| *worker)
    }

    /// The number that is reserved longest of those that leave a range.
    pub fn leaving(&self, before: Range, after: Range) -> Option<u32> {
        let leaves = |worker: u32| before.contains(worker.into()) && !after.contains(worker.into());
        let all = self.rows.iter().filter(|(worker, row)| leaves(**worker) && !row.bad);
        all.max_by_key(|(_, row)| row.held.row.reserved_until).map(|(worker, _)| *worker)
    }

    pub fn latest(&self) -> StoreTime {
        let granted = self.rows.values().map(|known| known.held.row.granted);
        granted.max().unwrap_or(StoreTime::new(0))
    }

    pub fn later(&self, now: StoreTime) -> Vec<(u32, Held, u64)> {
        let later = self.rows.iter().filter(|(_, known)| known.held.row.granted > now);
        later.map(|(worker, known)| (*worker, known.held, known.revision)).collect()
    }
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

//! A server's index of a namespace: its row, and the rows of its numbers as of the last survey.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::{Namespace, WorkerRow};
use leafid_core::{Range, StoreTime};

use super::engine::Mark;
use crate::backends::{Answer, NamespaceRow, Seen, Want};
use crate::store::Page;

/// How many of the last ranges of a namespace are kept.
const PAST: usize = 64;

/// A namespace as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    pub namespace: Namespace,
    /// How often its range changed.
    pub moves: u64,
    /// Its ranges before the last changes, in order.
    pub past: Vec<Range>,
}

impl Space {
    pub fn new(namespace: Namespace) -> Space {
        Space { namespace, moves: 0, past: Vec::new() }
    }

    /// The namespace after a change.
    pub fn then(&self, after: Namespace) -> Space {
        let before = self.namespace.workers;
        let mut next = Space { namespace: after, ..self.clone() };
        if before != after.workers {
            next.moves += 1;
            next.past.push(before);
            next.past.drain(..next.past.len().saturating_sub(PAST));
        }
        next
    }

    /// The last change that moved a number in or out of the range; the last that is not kept, if none of the
    /// others did.
    fn moved(&self, worker: u32) -> u64 {
        let inside = |range: &Range| range.contains(worker.into());
        let is_inside = inside(&self.namespace.workers);
        let same = self.past.iter().rev().take_while(|range| inside(range) == is_inside);
        self.moves - same.count() as u64
    }
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
    fn counts(&self, worker: u32, space: &Space) -> WorkerRow {
        if self.moves < space.moved(worker) { self.row.revoked() } else { self.row }
    }
}

type Worker = (u32, Seen<WorkerRow>);

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

    fn namespace(&self) -> Seen<NamespaceRow> {
        let row = NamespaceRow { namespace: self.space.namespace, used_until: self.unused };
        Seen { row, revision: self.revision }
    }

    fn seen(&self, (worker, row): (&u32, &Row)) -> Option<Worker> {
        let effective = row.held?.counts(*worker, &self.space);
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

    /// Answers what is asked of the namespace.
    pub fn answer(&self, want: &Want) -> Answer {
        let in_range = |sticky: bool| {
            let inside = |worker: u32| self.space.namespace.workers.contains(worker.into());
            self.all().filter(move |(worker, seen)| seen.row.sticky == sticky && inside(*worker))
        };
        Answer::Workers(match *want {
            Want::Namespace(_) => return Answer::Namespace(Some(self.namespace())),
            Want::Unused { from, end, count, .. } => {
                return Answer::Unused(self.unused(from, end, count));
            }
            Want::Worker(_, worker) => {
                self.worker(worker).map(|seen| (worker, seen)).into_iter().collect()
            }
            Want::Mine(_, request) => {
                self.all().find(|(_, seen)| seen.row.key == Some(request)).into_iter().collect()
            }
            Want::Own(_, owner) => {
                let workers = self.space.namespace.workers;
                let own =
                    self.all().filter(|(_, Seen { row, .. })| row.sticky && row.owner == owner);
                first(own, 2, |(worker, _)| (!workers.contains((*worker).into()), *worker))
            }
            Want::Rested(_, count) => {
                first(in_range(false), count, |(worker, seen)| (seen.row.reserved_until, *worker))
            }
            Want::Kept(_, count) => {
                first(in_range(true), count, |(worker, seen)| (seen.row.granted, *worker))
            }
            Want::Workers(_, Page { after, limit }) => {
                let next = |worker: u32| after.is_none_or(|after| worker > after);
                self.all().filter(|(worker, _)| next(*worker)).take(limit as usize).collect()
            }
            Want::Leaving { before, after, .. } => {
                let leaves = |worker: u64| before.contains(worker) && !after.contains(worker);
                let all = self.all().filter(|(worker, _)| leaves((*worker).into()));
                all.max_by_key(|(_, seen)| seen.row.reserved_until).into_iter().collect()
            }
            _ => Vec::new(),
        })
    }

    /// The lowest numbers without a row from `from` on, up to the first at or above `end`.
    fn unused(&self, from: u64, end: u64, count: usize) -> Vec<u64> {
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

#[cfg(test)]
mod tests {
    use leafid_core::Layout;

    use super::*;

    /// Compares with a simple model that keeps the last change of each number.
    #[test]
    fn it_knows_of_each_number_when_it_moved_last() {
        let mut seed = 7_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let of = |workers| Namespace::create(Layout::LEAF, Some(workers), None).unwrap();
        for changes in [0, 1, 12, PAST as u64 + 3] {
            let (mut space, mut plain) = (Space::new(of(Range::new(0, 40))), [0; 40]);
            for _ in 0..changes {
                let start = draw(39);
                let next = Range::new(start, start + 1 + draw(40 - start));
                let before = space.namespace.workers;
                space = space.then(of(next));
                for (number, at) in (0..).zip(&mut plain) {
                    if before.contains(number) != next.contains(number) {
                        *at = space.moves;
                    }
                }
            }
            // A number that moved before the changes that are kept counts as moved by the last of those.
            let least = space.moves.saturating_sub(PAST as u64);
            let plain: Vec<u64> = plain.into_iter().map(|at| at.max(least)).collect();
            let known: Vec<u64> = (0..40).map(|number| space.moved(number)).collect();
            assert_eq!(known, plain);
        }
    }
}

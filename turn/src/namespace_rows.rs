//! A namespace in a turn: its row, the rows of its numbers that are at hand, and candidates for acquires.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use leafid_core::registry::{Worker, WorkerRow};
use leafid_core::{Name, Token};

use crate::groups::{Groups, Scope};
use crate::row::{NamespaceRow, Seen};
use crate::stop::Stop;
use crate::want::Want;
use crate::write::{WorkerWrite, Write};

#[derive(Debug, Default)]
pub struct NamespaceRows {
    pub row: Option<Entry<NamespaceRow>>,
    workers: BTreeMap<u32, Entry<WorkerRow>>,
    changed: Vec<u32>,
    mine: BTreeMap<Token, Option<u32>>,
    own: BTreeMap<Name, Vec<u32>>,
    unused: Option<Supply<u64>>,
    rested: Option<Supply<u32>>,
    kept: Option<Supply<u32>>,
}

impl NamespaceRows {
    pub fn learn(&mut self, want: &Want, read: &[(u32, Seen<WorkerRow>)]) {
        for (worker, seen) in read {
            self.forget(*worker);
            self.workers.entry(*worker).or_insert(Entry::read(Some(*seen)));
        }
        let numbers = || read.iter().map(|(worker, _)| *worker);
        let supply = |count: usize| Supply { left: numbers().collect(), all: read.len() < count };
        match want {
            Want::Worker(_, worker) => {
                self.workers.entry(*worker).or_insert(Entry::read(None));
            }
            Want::Mine(_, request) => {
                self.mine.insert(*request, numbers().next());
            }
            Want::Own(_, owner) => {
                self.own.insert(*owner, numbers().collect());
            }
            Want::Rested(_, count) => self.rested = Some(supply(*count)),
            Want::Kept(_, count) => self.kept = Some(supply(*count)),
            _ => {}
        }
    }

    /// Takes in numbers that were never granted; the last one may be beyond the range.
    pub fn learn_unused(&mut self, read: Vec<u64>, end: u64) {
        let all = read.last().is_none_or(|last| *last >= end);
        self.unused = Some(Supply { left: read.into(), all });
    }

    pub fn worker(&self, worker: u32) -> Option<Option<WorkerRow>> {
        self.workers.get(&worker).map(|entry| entry.row)
    }

    /// The row of a number before this turn.
    pub fn before(&self, worker: u32) -> Option<WorkerRow> {
        self.workers.get(&worker)?.before.map(|seen| seen.row)
    }

    pub fn put(&mut self, worker: u32, row: WorkerRow, joined: bool) {
        let entry = self.workers.entry(worker).or_insert(Entry::read(None));
        if !entry.touched {
            self.changed.push(worker);
        }
        entry.put(row);
        entry.joined |= joined;
    }

    /// Takes in the row of a number as it was written last, unless one is at hand.
    pub fn know(&mut self, worker: u32, seen: Seen<WorkerRow>) -> Option<WorkerRow> {
        self.workers.entry(worker).or_insert(Entry::known(seen)).row
    }

    /// Drops a row that was not read and not changed; says whether it did.
    pub fn forget(&mut self, worker: u32) -> bool {
        let doubtful = self.workers.get(&worker).is_some_and(Entry::is_doubtful);
        if doubtful {
            self.workers.remove(&worker);
        }
        doubtful
    }

    /// Whether the row of a number is written, which checks all of its conditions.
    pub fn is_written(&self, worker: u32) -> bool {
        self.workers.get(&worker).is_some_and(|entry| entry.after().is_some())
    }

    /// Whether the namespace's row was not read, and no write of its group checks whether it has changed.
    pub fn doubts(&self) -> bool {
        let joined = |worker| self.workers.get(worker).is_some_and(|entry| entry.joined);
        self.row.is_some_and(|row| row.is_doubtful()) && !self.changed.iter().any(joined)
    }

    /// Has the namespace's row read, unless other requests have decided on it, which are written first.
    pub fn reread(&mut self) -> Result<(), Stop> {
        if !self.changed.is_empty() {
            return Err(Stop::Later);
        }
        self.row = None;
        Ok(())
    }

    pub fn changes(&self) -> usize {
        self.changed.len()
    }

    pub fn changed(&self) -> impl Iterator<Item = Worker> {
        self.changed.iter().filter_map(|worker| self.current(*worker))
    }

    pub fn is_settled(&self) -> bool {
        self.row.is_none_or(|entry| match (entry.before, entry.row) {
            (Some(before), Some(row)) => before.row.namespace == row.namespace,
            _ => true,
        })
    }

    pub fn is_untouched(&self) -> bool {
        self.changed.is_empty() && self.row.is_none_or(|entry| entry.after().is_none())
    }

    pub fn mine(&self, request: Token) -> Option<Option<Worker>> {
        let granted = |(_, row): &Worker| row.key == Some(request);
        if let Some(mine) = self.changed().find(granted) {
            return Some(Some(mine));
        }
        let read = self.mine.get(&request)?;
        Some(read.and_then(|worker| self.current(worker)).filter(granted))
    }

    pub fn own(&self, owner: &Name) -> Option<[Option<Worker>; 2]> {
        let read = self.own.get(owner)?.iter();
        let new = self.changed.iter().filter(|worker| !read.as_slice().contains(worker));
        let all = read.clone().chain(new).filter_map(|worker| self.current(*worker));
        let mut kept = all.filter(|(_, row)| row.sticky && row.owner == *owner);
        Some([kept.next(), kept.next()])
    }

    pub fn unused(&mut self) -> Option<u64> {
        let workers = &self.workers;
        let supply = self.unused.as_mut()?;
        let has_row = |number: u64| {
            let entry = u32::try_from(number).ok().and_then(|number| workers.get(&number));
            entry.is_some_and(|entry| entry.row.is_some())
        };
        supply.first(|number| !has_row(number)).flatten()
    }

    /// The longest rested of the numbers that are not kept, and the kept number of the owner longest unseen, as
    /// far as they are known. Numbers whose rows were changed in this turn are not among them.
    pub fn resting(&mut self) -> (Option<Option<Worker>>, Option<Option<Worker>>) {
        let workers = &self.workers;
        let first = |supply: &mut Option<Supply<u32>>| {
            let is_left = |n| workers.get(&n).is_some_and(|entry| !entry.touched);
            let first = supply.as_mut()?.first(is_left)?;
            Some(first.and_then(|n| Some((n, workers.get(&n)?.row?))))
        };
        (first(&mut self.rested), first(&mut self.kept))
    }

    fn current(&self, worker: u32) -> Option<Worker> {
        let row = self.workers.get(&worker)?.row?;
        Some((worker, row))
    }

    /// Adds the writes: rows that depend on each other as one group, each of the others as a group of its own, on
    /// condition that the namespace is as it was.
    pub fn gather(&self, name: &Name, groups: &mut Groups) {
        let Some(row) = &self.row else { return };
        let (namespace, before) = (*name, row.before);
        let own = row.after().map(|after| Write::Namespace { namespace, before, after });
        let condition = || before.map(|before| Write::Same(namespace, before));
        let mut joined = Vec::new();
        for (worker, entry) in self.changed.iter().filter_map(|n| Some((*n, self.workers.get(n)?)))
        {
            let Some(after) = entry.after() else { continue };
            let write = WorkerWrite { namespace, worker, before: entry.before, after };
            let write = Write::Worker(Box::new(write));
            if own.is_some() || entry.joined {
                joined.push(write);
            } else {
                let group = condition().into_iter().chain([write]).collect();
                groups.push(Scope::Worker(namespace, worker), group);
            }
        }
        if own.is_some() || !joined.is_empty() {
            // Conditions come first.
            joined.splice(0..0, own.or_else(condition));
            groups.push(Scope::Namespace(namespace), joined);
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Entry<T> {
    pub before: Option<Seen<T>>,
    pub row: Option<T>,
    /// Whether it was not read, but is the last one written: only a write on condition of it checks that.
    pub known: bool,
    pub touched: bool,
    /// Whether its change depends on others of its namespace.
    pub joined: bool,
}

impl<T: Copy + PartialEq> Entry<T> {
    pub fn read(before: Option<Seen<T>>) -> Entry<T> {
        Entry {
            before,
            row: before.map(|seen| seen.row),
            known: false,
            touched: false,
            joined: false,
        }
    }

    pub fn known(before: Seen<T>) -> Entry<T> {
        Entry { known: true, ..Entry::read(Some(before)) }
    }

    pub fn put(&mut self, row: T) {
        self.row = Some(row);
        self.touched = true;
    }

    /// Whether a decision relies on it that no write will check.
    pub fn is_doubtful(&self) -> bool {
        self.known && !self.touched
    }

    /// The row to write, if any; an unchanged one is written as a condition.
    pub fn after(&self) -> Option<T> {
        let condition = self.known && self.touched;
        self.row.filter(|row| condition || self.before.is_none_or(|before| before.row != *row))
    }
}

#[derive(Debug)]
pub struct Supply<T> {
    pub left: VecDeque<T>,
    /// Whether the store has no others.
    pub all: bool,
}

impl<T: Copy> Supply<T> {
    /// The first one that still qualifies: `None` if more have to be read, `Some(None)` if there is none.
    pub fn first(&mut self, still: impl Fn(T) -> bool) -> Option<Option<T>> {
        while let Some(first) = self.left.front().copied() {
            if still(first) {
                return Some(Some(first));
            }
            self.left.pop_front();
        }
        self.all.then_some(None)
    }
}

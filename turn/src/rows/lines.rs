//! The bounds of what a turn writes or answers, which other servers have to note.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use leafid_core::Name;
use leafid_core::registry::{TagRow, WorkerRow};

use super::TurnRows;
use crate::register::{Change, Line, Window};

impl TurnRows {
    /// Notes that a number is granted, whether or not that changes its row.
    pub fn grant(&mut self, name: &Name, worker: u32) {
        self.granted.insert((*name, worker));
    }

    /// What this turn writes, and the windows that it answers again.
    pub fn lines(&self) -> Vec<Change> {
        self.changes(|before, _| before.granted.get().unsigned_abs())
    }

    /// The same for a journal of hosts: with the tick at which each window begins, or with what a holder claimed.
    pub fn intervals(&self) -> Vec<Change> {
        let mut changes = self.changes(|_, after| after.held_from);
        for change in &mut changes {
            change.before = self.claimed.unwrap_or(change.before);
        }
        changes
    }

    fn changes(&self, of_worker: impl Fn(WorkerRow, WorkerRow) -> u64) -> Vec<Change> {
        let tags = self.tags.iter().filter_map(|(tag, entry)| {
            let after = self.written(tag, entry)?;
            let moved = entry.before.map(|seen| TagRow { max_id: after.max_id, ..seen.row });
            let is_changed = self.changed.contains(tag) || moved != Some(after);
            let line = if is_changed { Line::Changed } else { Line::Tag };
            // A new tag stands at 1.
            let before = entry.before.map_or(1, |seen| seen.row.max_id);
            Some(Change { before, line: line(*tag, after.max_id) })
        });
        let changed = self
            .spaces
            .iter()
            .flat_map(|(name, space)| space.changed().map(move |(worker, _)| (*name, worker)));
        let numbers: BTreeSet<_> = changed.chain(self.granted.iter().copied()).collect();
        let workers = numbers.into_iter().filter_map(|(name, worker)| {
            let space = self.spaces.get(&name)?;
            let after = space.worker(worker)??;
            let before = of_worker(space.before(worker).unwrap_or_default(), after);
            let window = Window { granted: after.granted, end: after.reserved_until };
            Some(Change { before, line: Line::Worker(name, worker, window) })
        });
        tags.chain(workers).collect()
    }
}

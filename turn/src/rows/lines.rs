//! The bounds of what a turn writes or answers, which other servers have to note.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use leafid_core::Name;
use leafid_core::registry::{TagRow, WorkerRow};

use super::TurnRows;
use crate::SERVERS;
use crate::journal::key_number;
use crate::register::{Change, Line};

impl TurnRows {
    /// Notes that a number is granted, whether or not that changes its row.
    pub fn grant(&mut self, name: &Name, worker: u32) {
        self.granted.insert((*name, worker));
    }

    /// Notes the end that a holder has shown of a row, if it is above the row's.
    pub fn claim(&mut self, end: Option<u64>, known: u64) {
        if SERVERS {
            self.claimed = end.filter(|end| *end > known);
        }
    }

    /// What this turn writes, and the windows that it answers again.
    pub fn lines(&self) -> Vec<Change> {
        let workers = self.numbers().map(|(name, worker, before, after)| {
            let [before, state] = [before, after].map(|row| row.granted.get().unsigned_abs());
            Change { before, line: Line::worker(name, worker, state, after.reserved_until) }
        });
        self.tag_lines().chain(workers).collect()
    }

    /// What this turn grants or gives back, and how tags are changed, for a journal of hosts: of a window the tick
    /// at which it begins, and its key instead of when it was granted. If a holder has more than the store knows,
    /// that stands instead of where it begins, also if no row is changed.
    pub fn intervals(&self) -> Vec<Change> {
        let is_given = |(name, worker, before, after): &(Name, u32, WorkerRow, WorkerRow)| {
            let is_lowered = after.reserved_until < before.reserved_until;
            is_lowered || self.granted.contains(&(*name, *worker))
        };
        let workers = self.numbers().filter(is_given).map(|(name, worker, before, after)| {
            let key = key_number(after.key.or(before.key));
            let line = Line::worker(name, worker, key, after.reserved_until);
            Change { before: after.held_from, line }
        });
        let Some(before) = self.claimed else { return self.tag_lines().chain(workers).collect() };
        let tags = self.tags.keys().map(|tag| Change { before, line: Line::tag(*tag, 0) });
        tags.chain(workers.map(|change| Change { before, ..change })).collect()
    }

    fn tag_lines(&self) -> impl Iterator<Item = Change> + '_ {
        self.tags.iter().filter_map(|(tag, entry)| {
            let after = self.written(tag, entry)?;
            let moved = entry.before.map(|seen| TagRow { max_id: after.max_id, ..seen.row });
            let changed = self.changed.contains(tag) || moved != Some(after);
            // A new tag stands at 1.
            let before = entry.before.map_or(1, |seen| seen.row.max_id);
            Some(Change { before, line: Line { changed, ..Line::tag(*tag, after.max_id) } })
        })
    }

    /// The numbers that are changed or granted, with their rows before and after.
    fn numbers(&self) -> impl Iterator<Item = (Name, u32, WorkerRow, WorkerRow)> + '_ {
        let changed = self
            .spaces
            .iter()
            .flat_map(|(name, space)| space.changed().map(move |(worker, _)| (*name, worker)));
        let numbers: BTreeSet<_> = changed.chain(self.granted.iter().copied()).collect();
        numbers.into_iter().filter_map(|(name, worker)| {
            let space = self.spaces.get(&name)?;
            let before = space.before(worker).unwrap_or_default();
            Some((name, worker, before, space.worker(worker)??))
        })
    }
}

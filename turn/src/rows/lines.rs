//! The bounds of what a turn writes or answers, which other servers have to note.

use alloc::vec::Vec;

use leafid_core::Name;
use leafid_core::registry::{TagRow, WorkerRow};

use super::TurnRows;
use crate::register::{Line, Window};

impl TurnRows {
    /// Notes that a number is granted, whether or not that changes its row.
    pub fn grant(&mut self, name: &Name, worker: u32) {
        self.granted.insert((*name, worker));
    }

    /// The bounds of what this turn writes, and of the windows that it answers again.
    pub fn lines(&self) -> Vec<Line> {
        let tags = self.tags.iter().filter_map(|(tag, entry)| {
            let after = self.written(tag, entry)?;
            let moved = entry.before.map(|seen| TagRow { max_id: after.max_id, ..seen.row });
            let is_changed = self.changed.contains(tag) || moved != Some(after);
            let line = if is_changed { Line::Changed } else { Line::Tag };
            Some(line(*tag, after.max_id))
        });
        let workers = self.spaces.iter().flat_map(|(name, space)| {
            space.changed().map(|(worker, row)| worker_line(name, worker, &row))
        });
        let granted = self.granted.iter().filter_map(|(name, worker)| {
            let row = self.spaces.get(name)?.worker(*worker)??;
            Some(worker_line(name, *worker, &row))
        });
        tags.chain(workers).chain(granted).collect()
    }

    /// The states of the rows that this turn decided to write, or to answer again.
    pub fn seen(&self) -> Vec<Line> {
        let tags = self.tags.iter().filter(|(tag, entry)| self.written(tag, entry).is_some());
        // A new tag stands at 1.
        let tags = tags
            .map(|(tag, entry)| Line::Tag(*tag, entry.before.map_or(1, |seen| seen.row.max_id)));
        let changed = self
            .spaces
            .iter()
            .flat_map(|(name, space)| space.changed().map(move |(worker, _)| (*name, worker)));
        let workers = changed.chain(self.granted.iter().copied()).filter_map(|(name, worker)| {
            let row = self.spaces.get(&name)?.before(worker).unwrap_or_default();
            Some(worker_line(&name, worker, &row))
        });
        tags.chain(workers).collect()
    }
}

fn worker_line(name: &Name, worker: u32, row: &WorkerRow) -> Line {
    let (granted, end) = (row.granted, row.reserved_until);
    Line::Worker(*name, worker, Window { granted, end })
}

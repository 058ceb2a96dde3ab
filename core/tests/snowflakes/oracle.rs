//! The oracle: every position at hand stands in a set, one by one.

use std::collections::BTreeSet;

use leafid_core::{Code, Layout, Range};

#[derive(Debug, Default)]
pub struct Oracle {
    pub left: BTreeSet<u64>,
    /// The next position that was not passed, and whether it was ever set.
    pub cursor: u64,
    pub end: u64,
    pub worker: u32,
    pub open: bool,
    pub stopped: Option<Code>,
    pub given: Vec<u64>,
    pub granted: BTreeSet<(u32, u64)>,
}

/// What a draw may give now: positions from `floor` on, below `ceiling`.
pub struct Limits {
    pub floor: u128,
    pub ceiling: u128,
}

impl Oracle {
    pub fn next(&mut self, layout: &Layout, limits: &Limits) -> Result<u64, Code> {
        let floor = u64::try_from(limits.floor).unwrap().max(self.cursor);
        if u128::from(floor) >= limits.ceiling {
            return Err(Code::SequenceSpent);
        }
        let Some(&position) = self.left.range(floor..).next() else {
            return Err(Code::WindowSpent);
        };
        self.left = self.left.split_off(&(position + 1));
        self.cursor = position + 1;
        let (tick, sequence) = (position / layout.per_tick(), position % layout.per_tick());
        let id = layout.compose(layout.time(tick), self.worker, sequence).unwrap();
        self.given.push(id);
        Ok(id)
    }

    pub fn open(&mut self, layout: &Layout, worker: u32, ticks: Range) {
        let per_tick = layout.per_tick();
        let above = self.cursor / per_tick + 1;
        let start = ticks.start.max(above);
        self.left = (start * per_tick..ticks.end.max(start) * per_tick).collect();
        (self.cursor, self.end, self.worker, self.open) =
            (start * per_tick, ticks.end, worker, true);
        self.granted.extend((ticks.start..ticks.end).map(|tick| (worker, tick)));
    }

    pub fn extend(&mut self, layout: &Layout, ticks: Range) {
        let per_tick = layout.per_tick();
        let from = (ticks.start * per_tick).max(self.cursor);
        self.left.extend(from..ticks.end * per_tick);
        self.end = ticks.end;
        self.granted.extend((ticks.start..ticks.end).map(|tick| (self.worker, tick)));
    }

    pub fn close(&mut self) {
        self.left.clear();
        self.open = false;
    }
}

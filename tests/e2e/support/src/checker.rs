//! The exact check over all hosts: every number once, every worker with one holder at a time, and
//! every generator ascending.

use std::collections::BTreeMap;

use leafid_core::{Layout, Parts};

use crate::intervals::Intervals;
use crate::line::Line;
use crate::owned::Owned;

/// The greatest gap between two batches of one run, in ms. The holder held the worker all that time:
/// a number that another holder had meanwhile would not come back so soon.
const PAUSE_MS: u64 = 10_000;

/// The layout of the stream's namespace: a tick lasts a millisecond.
const LAYOUT: Layout = Layout::LEAF;

/// Checks the streams of many holders of one tag and one namespace. Its memory grows with holes and
/// windows, not with IDs.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    numbers: Intervals,
    /// The positions (`tick << sequence_bits | sequence`) of each worker, by holder.
    workers: BTreeMap<u32, Owned>,
    /// The last position of a worker that a holder drew.
    last: BTreeMap<(u32, usize), u64>,
    holders: Vec<Holder>,
    twice: u64,
    backwards: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Holder {
    /// One above the holder's last number.
    number: u64,
    /// One above the holder's last snowflake ID.
    snowflake: u64,
}

impl Checker {
    /// Adds a holder. A restarted process is a new holder: it may not go on where the one before stopped.
    pub fn holder(&mut self) -> usize {
        self.holders.push(Holder::default());
        self.holders.len() - 1
    }

    /// Checks the IDs in a holder's line; ignores other lines.
    pub fn take(&mut self, holder: usize, line: &Line) -> Result<(), String> {
        match *line {
            Line::Numbers { start, end } => {
                self.twice += self.numbers.add(start, end);
                let state = &mut self.holders[holder];
                self.backwards += u64::from(start < state.number);
                state.number = end.max(state.number);
            }
            Line::Snowflakes { first, last, count } => {
                let (a, b) = (decode(first)?, decode(last)?);
                if a.worker != b.worker {
                    return Err(format!("`{first}` and `{last}` are of two workers, in one run"));
                }
                let (from, to) = (position(a), position(b));
                let before = self.last.insert((a.worker, holder), to);
                let pause = PAUSE_MS * LAYOUT.per_tick();
                let near = |last: &u64| *last < from && from - last <= pause;
                // The time since its last batch is the holder's, too.
                let run = (before.filter(near).map_or(from, |last| last + 1), to + 1);
                let owned = self.workers.entry(a.worker).or_default();
                if owned.claim(run, holder as u64).is_err() {
                    self.twice += count;
                }
                let state = &mut self.holders[holder];
                self.backwards += u64::from(first < state.snowflake);
                state.snowflake = state.snowflake.max(last + 1);
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts numbers handed out twice, and snowflake IDs drawn inside another holder's run, which may be
    /// duplicates: 0 means that there are none.
    pub fn duplicates(&self) -> u64 {
        self.twice
    }

    /// How often a generator's ID was not above its last one.
    pub fn backwards(&self) -> u64 {
        self.backwards
    }

    pub fn numbers(&self) -> u64 {
        self.numbers.count()
    }

    pub fn workers(&self) -> usize {
        self.workers.len()
    }
}

fn position(parts: Parts) -> u64 {
    parts.tick << LAYOUT.sequence_bits() | parts.sequence
}

fn decode(id: u64) -> Result<Parts, String> {
    LAYOUT.decompose(id).map_err(|_| format!("`{id}` is no snowflake ID"))
}

#[cfg(test)]
mod tests {
    use leafid_core::StoreTime;

    use super::{Checker, LAYOUT};
    use crate::line::Line;

    fn run(at: i64, worker: u32, count: u64) -> Line {
        let time = StoreTime::new(1_800_000_000_000 + at);
        let first = LAYOUT.compose(time, worker, 0).expect("it fits");
        Line::Snowflakes { first, last: first + count - 1, count }
    }

    #[test]
    fn every_fault_is_seen() {
        let mut checker = Checker::default();
        let (a, b) = (checker.holder(), checker.holder());
        checker.take(a, &Line::Numbers { start: 100, end: 200 }).expect("it is read");
        checker.take(b, &Line::Numbers { start: 150, end: 160 }).expect("it is read");
        assert_eq!((checker.duplicates(), checker.backwards()), (10, 0));
        checker.take(a, &Line::Numbers { start: 50, end: 60 }).expect("it is read");
        assert_eq!((checker.duplicates(), checker.backwards()), (10, 1));
        checker.take(a, &run(500, 7, 40)).expect("it is read");
        checker.take(b, &run(500, 7, 5)).expect("it is read");
        assert_eq!((checker.duplicates(), checker.backwards()), (15, 1));
        checker.take(a, &run(400, 8, 1)).expect("it is read");
        assert_eq!((checker.duplicates(), checker.backwards()), (15, 2));
        // Two holders' batches alternate on one worker, without an ID in common.
        for (holder, at, seen) in [(a, 600, 15), (b, 610, 15), (a, 620, 16)] {
            checker.take(holder, &run(at, 9, 1)).expect("it is read");
            assert_eq!(checker.duplicates(), seen, "{at}");
        }
        let two_workers = Line::Snowflakes { first: 1 << 12, last: 2 << 12, count: 2 };
        assert!(checker.take(a, &two_workers).is_err());
    }
}

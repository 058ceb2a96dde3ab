//! The worker numbers of a namespace, and the state of each.

use leafid_core::registry::{Namespace, Worker, WorkerRow};
use leafid_core::{Name, StoreTime};
use leafid_store::registry::aside::is_aside;

/// Holders listed at most: those that were granted a window last.
pub const HOLDERS: usize = 500;

/// The state of a worker number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It was never handed out.
    Fresh,
    /// Its last window is over, and any owner may acquire it.
    Free,
    /// Its last window is over, and an owner keeps it for another time.
    Kept,
    /// It is not held, but its window is not over: it cannot be granted yet.
    Resting,
    /// It has a lease, and its window is not over; the holder may be gone.
    Held,
    /// It is used outside of leafid.
    Aside,
}

const STATES: [&str; 6] = ["fresh", "free", "kept", "resting", "held", "aside"];

impl State {
    pub fn of(namespace: &Namespace, row: &WorkerRow, now: StoreTime) -> State {
        if is_aside(&namespace.layout, row) {
            return State::Aside;
        }
        // Before the first tick nothing is over.
        let tick = namespace.layout.tick(now).unwrap_or(0);
        if row.rests_until(namespace.floor) > tick {
            return if row.key.is_some() { State::Held } else { State::Resting };
        }
        match row.is_kept_from(&Name::EMPTY, now) {
            true => State::Kept,
            false => State::Free,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Numbers {
    pub namespace: Namespace,
    /// The moment of the overview, by the store's clock.
    pub now: StoreTime,
    /// Numbers of the range by state, in the order of [`State`].
    pub counts: [u64; STATES.len()],
    /// The holders of numbers whose windows are not over.
    pub holders: Vec<Worker>,
}

impl Numbers {
    /// The numbers of a namespace before its rows are read.
    pub fn fresh(namespace: Namespace, now: StoreTime) -> Numbers {
        let mut counts = [0; STATES.len()];
        counts[State::Fresh as usize] = namespace.workers.len();
        Numbers { namespace, now, counts, holders: Vec::new() }
    }

    /// Counts a row, unless its number is outside of the range, and never granted.
    pub fn row(&mut self, (worker, row): Worker) {
        if !self.namespace.workers.contains(worker.into()) {
            return;
        }
        let state = State::of(&self.namespace, &row, self.now);
        let fresh = &mut self.counts[State::Fresh as usize];
        *fresh = fresh.saturating_sub(1);
        self.counts[state as usize] += 1;
        if matches!(state, State::Held | State::Resting) {
            self.holders.push((worker, row));
            if self.holders.len() >= 2 * HOLDERS {
                self.keep_latest();
            }
        }
    }

    fn keep_latest(&mut self) {
        self.holders.sort_by_key(|(_, row)| std::cmp::Reverse(row.granted));
        self.holders.truncate(HOLDERS);
    }

    /// Ends the reading: the latest holders, by number.
    pub fn done(mut self) -> Numbers {
        self.keep_latest();
        self.holders.sort_by_key(|(worker, _)| *worker);
        self
    }

    pub fn more_holders(&self) -> bool {
        self.count(State::Held) + self.count(State::Resting) > self.holders.len() as u64
    }

    /// The count of each state, by its name.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        STATES.into_iter().zip(self.counts)
    }

    pub fn count(&self, state: State) -> u64 {
        self.counts[state as usize]
    }

    /// How many numbers can be granted now.
    pub fn grantable(&self) -> u64 {
        self.count(State::Fresh) + self.count(State::Free)
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::{Layout, Range, Token};

    use super::*;

    const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

    fn numbers(rows: &[Worker]) -> Numbers {
        let workers = Some(Range::new(2, 12));
        let namespace = Namespace::create(Layout::EDGE, workers, None).unwrap();
        let mut numbers = Numbers::fresh(namespace, NOW);
        rows.iter().for_each(|row| numbers.row(*row));
        numbers.done()
    }

    #[test]
    fn each_number_has_its_state() {
        let tick = Layout::EDGE.tick(NOW).unwrap();
        let row = |reserved_until, key: bool, sticky| WorkerRow {
            owner: Name::owner("o").unwrap(),
            sticky,
            key: key.then_some(Token::new([7; 16])),
            held_from: 1,
            reserved_until,
            granted: NOW,
        };
        let rows = [
            (1, row(tick + 1, true, false)),
            (3, row(tick, true, false)),
            (4, row(tick, false, true)),
            (5, row(tick + 1, false, false)),
            (6, row(tick + 1, true, true)),
            (7, row(Layout::EDGE.last_end(), false, false)),
            (12, row(tick + 1, true, false)),
        ];
        let seen = numbers(&rows);
        assert_eq!(seen.counts, [5, 1, 1, 1, 1, 1]);
        assert_eq!(seen.grantable(), 6);
        let holders: Vec<_> = seen.holders.iter().map(|(worker, _)| *worker).collect();
        assert_eq!((holders, seen.more_holders()), (vec![5, 6], false));
    }

    #[test]
    fn of_many_holders_the_latest_are_told() {
        let namespace = Namespace::create(Layout::EDGE, None, None).unwrap();
        let mut numbers = Numbers::fresh(namespace, NOW);
        let tick = Layout::EDGE.tick(NOW).unwrap();
        for worker in 0..5_000 {
            let granted = NOW.plus(-i64::from(worker));
            let reserved_until = tick + 9;
            let key = Some(Token::new([1; 16]));
            numbers
                .row((worker, WorkerRow { key, granted, reserved_until, ..WorkerRow::default() }));
        }
        let seen = numbers.done();
        assert_eq!((seen.holders.len(), seen.more_holders()), (HOLDERS, true));
        assert_eq!(seen.holders.last().map(|(worker, _)| *worker), Some(HOLDERS as u32 - 1));
        assert_eq!(seen.count(State::Held), 5_000);
    }
}

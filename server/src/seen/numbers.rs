//! The worker numbers of a namespace, and the state of each.

use leafid_core::registry::{Namespace, Worker, WorkerRow};
use leafid_core::{Name, StoreTime};
use leafid_store::registry::aside::is_aside;

/// Numbers of a namespace that are listed one by one, at most.
pub const DRAWN: usize = 65_536;
/// Holders listed at most: those that were granted a window last.
pub const HOLDERS: usize = 500;

/// The state of a worker number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It was never handed out.
    Fresh,
    /// Its last window is over, and anybody may have it.
    Free,
    /// Its last window is over, and an owner keeps it for another time.
    Kept,
    /// It is not held, but its window is not over: it cannot be granted yet.
    Resting,
    /// A holder has it, or had it when its window was granted.
    Held,
    /// It is used outside of leafid.
    Aside,
}

/// The name and the letter of each state.
const STATES: [(&str, char); 6] =
    [("fresh", '.'), ("free", 'f'), ("kept", 'k'), ("resting", 'r'), ("held", 'h'), ("aside", 'a')];

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
    /// The moment of the overview, by the store's clock.
    pub now: StoreTime,
    /// Numbers of the range by state, in the order of [`State`].
    pub counts: [u64; STATES.len()],
    pub letters: String,
    /// Who holds numbers, or held them until their windows are over, by number.
    pub holders: Vec<Worker>,
    pub more_holders: bool,
}

/// The state of the numbers, as rows are read.
#[derive(Debug)]
pub struct Count {
    namespace: Namespace,
    letters: Vec<char>,
    seen: Numbers,
}

impl Count {
    pub fn new(namespace: Namespace, now: StoreTime) -> Count {
        let drawn = usize::try_from(namespace.workers.len()).unwrap_or(DRAWN).min(DRAWN);
        let mut counts = [0; STATES.len()];
        counts[State::Fresh as usize] = namespace.workers.len();
        let (letters, holders) = (String::new(), Vec::new());
        let seen = Numbers { now, counts, letters, holders, more_holders: false };
        Count { namespace, letters: vec![STATES[State::Fresh as usize].1; drawn], seen }
    }

    /// Counts a row, unless its number is outside of the range, and never granted.
    pub fn row(&mut self, (worker, row): Worker) {
        let Some(place) = u64::from(worker).checked_sub(self.namespace.workers.start) else {
            return;
        };
        if !self.namespace.workers.contains(worker.into()) {
            return;
        }
        let Numbers { now, counts, holders, .. } = &mut self.seen;
        let state = State::of(&self.namespace, &row, *now);
        let fresh = &mut counts[State::Fresh as usize];
        *fresh = fresh.saturating_sub(1);
        counts[state as usize] += 1;
        let letter = usize::try_from(place).ok().and_then(|place| self.letters.get_mut(place));
        if let Some(letter) = letter {
            *letter = STATES[state as usize].1;
        }
        if matches!(state, State::Held | State::Resting) {
            holders.push((worker, row));
            if holders.len() >= 2 * HOLDERS {
                keep_latest(holders);
            }
        }
    }

    pub fn done(self) -> Numbers {
        let mut seen = self.seen;
        keep_latest(&mut seen.holders);
        seen.holders.sort_by_key(|(worker, _)| *worker);
        let all = seen.count(State::Held) + seen.count(State::Resting);
        let more_holders = all > seen.holders.len() as u64;
        Numbers { more_holders, letters: self.letters.into_iter().collect(), ..seen }
    }
}

fn keep_latest(holders: &mut Vec<Worker>) {
    holders.sort_by_key(|(_, row)| std::cmp::Reverse(row.granted));
    holders.truncate(HOLDERS);
}

impl Numbers {
    /// The count of each state, by its name.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        STATES.iter().zip(&self.counts).map(|((name, _), count)| (*name, *count))
    }

    pub fn count(&self, state: State) -> u64 {
        self.counts[state as usize]
    }

    /// How many numbers can be granted now.
    pub fn to_be_had(&self) -> u64 {
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
        let mut count = Count::new(namespace, NOW);
        rows.iter().for_each(|row| count.row(*row));
        count.done()
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
        assert_eq!(seen.letters, ".fkrha....");
        assert_eq!(seen.counts, [5, 1, 1, 1, 1, 1]);
        assert_eq!(seen.to_be_had(), 6);
        let holders: Vec<_> = seen.holders.iter().map(|(worker, _)| *worker).collect();
        assert_eq!((holders, seen.more_holders), (vec![5, 6], false));
    }

    #[test]
    fn of_many_holders_the_latest_are_told() {
        let namespace = Namespace::create(Layout::EDGE, None, None).unwrap();
        let mut count = Count::new(namespace, NOW);
        let tick = Layout::EDGE.tick(NOW).unwrap();
        for worker in 0..5_000 {
            let granted = NOW.plus(-i64::from(worker));
            let reserved_until = tick + 9;
            let key = Some(Token::new([1; 16]));
            count.row((worker, WorkerRow { key, granted, reserved_until, ..WorkerRow::default() }));
        }
        let seen = count.done();
        assert_eq!((seen.holders.len(), seen.more_holders), (HOLDERS, true));
        assert_eq!(seen.holders.last().map(|(worker, _)| *worker), Some(HOLDERS as u32 - 1));
        assert_eq!((seen.count(State::Held), seen.letters.len()), (5_000, DRAWN));
    }
}

//! The IDs of a day (UTC), as far as one server counts them.

use leafid_core::StoreTime;
use leafid_store::problem::{Figure, Problem};

const DAY_MS: i64 = 86_400_000;
/// An operator may have raised a quota in the meantime.
const LONGEST_PAUSE_MS: i64 = 60_000;

/// How many IDs of which day were had.
#[derive(Debug, Default)]
pub struct Day {
    day: i64,
    ids: u64,
}

/// A day has not as many IDs left as are asked for.
#[derive(Debug)]
pub struct Spent {
    /// How many it had.
    pub used: u64,
    most: u64,
    pause_ms: i64,
}

impl Day {
    /// Counts that many IDs, if the day has as many of its `most` left.
    ///
    /// # Errors
    /// It has not.
    pub fn take(&mut self, most: u64, ids: u64, now: StoreTime) -> Result<(), Spent> {
        let day = now.get().div_euclid(DAY_MS);
        if self.day != day {
            *self = Day { day, ids: 0 };
        }
        if ids > most.saturating_sub(self.ids) {
            let midnight = DAY_MS - now.get().rem_euclid(DAY_MS);
            let pause_ms = midnight.clamp(1, LONGEST_PAUSE_MS);
            return Err(Spent { used: self.ids, most, pause_ms });
        }
        self.ids = self.ids.saturating_add(ids);
        Ok(())
    }

    /// Of those that were counted, this many were not had.
    pub fn give_back(&mut self, ids: u64) {
        self.ids = self.ids.saturating_sub(ids);
    }
}

impl Spent {
    /// A problem with its figures, and when to ask again.
    pub fn told(&self, problem: Problem) -> Problem {
        let problem = problem.with("used", Figure::Big(self.used));
        let problem = problem.with("quota", Figure::Big(self.most));
        Problem { retry_after_ms: u32::try_from(self.pause_ms).ok(), ..problem }
    }
}

//! A back end's time between two of its answers.

use leafid_core::{HostTime, StoreTime};

/// A back end's time: as its last answer had it, and what passed since by a clock that only ticks.
/// It never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    now: StoreTime,
    boot: HostTime,
}

impl Time {
    /// It was so late when the clock showed `boot`.
    pub fn start(now: StoreTime, boot: HostTime) -> Time {
        Time { now, boot }
    }

    /// Takes in what an answer said.
    pub fn learn(&mut self, said: StoreTime, boot: HostTime) {
        *self = Time { now: said.max(self.now(boot)), boot: boot.max(self.boot) };
    }

    /// The time when the clock shows `boot`.
    pub fn now(&self, boot: HostTime) -> StoreTime {
        self.now.plus(boot.since(self.boot).max(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_its_source_and_never_goes_back() {
        let at = |ms| HostTime::new(ms);
        let mut time = Time::start(StoreTime::new(1_000), at(0));
        assert_eq!(time.now(at(50)), StoreTime::new(1_050));
        time.learn(StoreTime::new(1_040), at(50));
        assert_eq!(time.now(at(50)), StoreTime::new(1_050));
        time.learn(StoreTime::new(2_000), at(50));
        assert_eq!(time.now(at(40)), StoreTime::new(2_000), "a clock that goes back adds nothing");
        time.learn(StoreTime::new(2_000), at(40));
        assert_eq!(time.now(at(60)), StoreTime::new(2_010), "and nothing twice");
    }
}

//! A back end's time between two of its answers.

use leafid_core::{HostTime, StoreTime};

/// A back end's time: as its last answer had it, and what passed since by a clock that only ticks.
/// It never goes back: where the back end's clock is slower than ours, it waits for it.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    said: StoreTime,
    boot: HostTime,
    given: StoreTime,
}

impl Time {
    /// Begins at a time, which the ticking clock shows as `boot`.
    pub fn start(now: StoreTime, boot: HostTime) -> Time {
        Time { said: now, boot, given: now }
    }

    /// Takes in an answer.
    pub fn learn(&mut self, said: StoreTime, boot: HostTime) {
        (self.said, self.boot) = (said, boot.max(self.boot));
    }

    /// The time now.
    pub fn now(&mut self, boot: HostTime) -> StoreTime {
        self.given = self.given.max(self.said.plus(boot.since(self.boot).max(0)));
        self.given
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
        // A slower clock is waited for, and not left behind for good.
        time.learn(StoreTime::new(1_040), at(50));
        assert_eq!(time.now(at(50)), StoreTime::new(1_050));
        assert_eq!(time.now(at(55)), StoreTime::new(1_050));
        assert_eq!(time.now(at(70)), StoreTime::new(1_060));
        time.learn(StoreTime::new(2_000), at(70));
        assert_eq!(time.now(at(40)), StoreTime::new(2_000), "a clock that goes back adds nothing");
        time.learn(StoreTime::new(2_000), at(40));
        assert_eq!(time.now(at(80)), StoreTime::new(2_010), "and nothing twice");
    }
}

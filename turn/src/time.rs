//! The time of a database server between two of its answers.

use leafid_core::{HostTime, StoreTime};

/// A server's time: that of its last answer, plus the time since then by a monotonic clock. It never goes
/// back: if the server's clock is slower, it stands still until that has caught up.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    said: StoreTime,
    boot: HostTime,
    given: StoreTime,
}

impl Time {
    /// Begins at a time, when the monotonic clock shows `boot`.
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
        // It stands still until a slower clock has caught up.
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

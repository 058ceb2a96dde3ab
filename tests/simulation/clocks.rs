//! Clocks: those of hosts, which may do anything but tick right, and those of the store's
//! servers, each with the registry's time rule.

use leafid_core::{HostTime, StoreTime};

/// How far a host's clock can be relied on to show what its generator makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// It only ever drifted.
    Honest,
    /// It stood still or went back: IDs may be late until the store's next answer.
    Behind,
    /// It leapt ahead: IDs may be early up to the end of the window in hand.
    Lost,
}

/// A host's clock.
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    shown: i64,
    since: i64,
    /// How much faster than true time it runs, in millionths.
    ppm: i64,
    frozen: bool,
    /// Whether it can neither be set nor go back.
    pub monotonic: bool,
    /// What may be expected of the IDs.
    pub trust: Trust,
    /// When it was last disturbed.
    disturbed_at: i64,
}

impl HostClock {
    /// A clock that shows `shown` at true time `t`.
    pub fn new(t: i64, shown: i64, ppm: i64, monotonic: bool) -> HostClock {
        HostClock {
            shown,
            since: t,
            ppm,
            frozen: false,
            monotonic,
            trust: Trust::Honest,
            disturbed_at: t,
        }
    }

    /// What it shows.
    pub fn read(&self, t: i64) -> HostTime {
        if self.frozen {
            return HostTime::new(self.shown);
        }
        let passed = t - self.since;
        HostTime::new(self.shown + passed + passed * self.ppm / 1_000_000)
    }

    /// Whether it stands still.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// It drifts otherwise from now on.
    pub fn drift(&mut self, t: i64, ppm: i64) {
        self.shown = self.read(t).get();
        self.since = t;
        self.ppm = ppm;
    }

    /// It stands still: a suspended machine, or an isolate between two inputs.
    pub fn freeze(&mut self, t: i64) {
        self.shown = self.read(t).get();
        self.since = t;
        self.frozen = true;
        self.disturbed_at = t;
        self.trust = self.trust.max(Trust::Behind);
    }

    /// It goes on: where it stood, or (`catches_up`) where it would be.
    pub fn thaw(&mut self, t: i64, catches_up: bool) {
        if self.frozen && !catches_up {
            self.since = t;
        }
        self.frozen = false;
        self.disturbed_at = t;
    }

    /// It was told the time by an answer to a call that left at `sent_at`: what made it late
    /// before is mended.
    pub fn told(&mut self, sent_at: i64) {
        if self.trust == Trust::Behind && !self.frozen && sent_at > self.disturbed_at {
            self.trust = Trust::Honest;
        }
    }

    /// It is set forward or back.
    pub fn step(&mut self, t: i64, by: i64) {
        self.shown = self.read(t).get() + by;
        self.since = t;
        self.disturbed_at = t;
        let trust = if by > 0 { Trust::Lost } else { Trust::Behind };
        self.trust = self.trust.max(trust);
    }
}

/// A step of the source that is greater than this is not believed at once.
const BELIEVED_STEP_MS: i64 = 60_000;
/// For so long it is not.
const DISBELIEF_MS: i64 = 600_000;

/// The time of one server of the store: `max(source, anchor + elapsed)`, never going back.
#[derive(Clone, Copy, Debug)]
pub struct StoreClock {
    skew: i64,
    ppm: i64,
    start: i64,
    anchor: i64,
    anchored: i64,
    disbelieved_since: Option<i64>,
}

impl StoreClock {
    /// A server that starts at true time `t`, whose source is wrong by `skew` and drifts, over a
    /// store whose greatest grant was made at `anchor`.
    pub fn new(t: i64, skew: i64, ppm: i64, anchor: StoreTime) -> StoreClock {
        let anchor = anchor.get().max(t + skew);
        StoreClock { skew, ppm, start: t, anchor, anchored: t, disbelieved_since: None }
    }

    /// The time, for a decision.
    pub fn read(&mut self, t: i64) -> StoreTime {
        let own = self.anchor + (t - self.anchored);
        let ahead = self.source(t) - own;
        let since = *self.disbelieved_since.get_or_insert(t);
        let believed = ahead <= BELIEVED_STEP_MS || t - since > DISBELIEF_MS;
        if ahead <= BELIEVED_STEP_MS {
            self.disbelieved_since = None;
        }
        self.anchor = if believed { own.max(self.source(t)) } else { own };
        self.anchored = t;
        StoreTime::new(self.anchor)
    }

    /// What a reading would show.
    pub fn peek(&self, t: i64) -> i64 {
        let mut copy = *self;
        copy.read(t).get()
    }

    /// The source is set forward or back.
    pub fn step(&mut self, by: i64) {
        self.skew += by;
    }

    /// Starts anew over a store whose greatest grant was made at `anchor`.
    pub fn restart(&mut self, t: i64, anchor: StoreTime) {
        *self = StoreClock::new(t, self.source(t) - t, self.ppm, anchor);
    }

    fn source(&self, t: i64) -> i64 {
        t + self.skew + (t - self.start) * self.ppm / 1_000_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_goes_on_when_its_source_goes_back_and_doubts_a_leap() {
        let mut clock = StoreClock::new(1_000, 50, 0, StoreTime::new(0));
        assert_eq!(clock.read(1_000).get(), 1_050);
        clock.step(-3_600_000);
        assert_eq!(clock.read(1_100).get(), 1_150);
        clock.step(3_600_000 + 3_600_000);
        assert_eq!(clock.read(1_200).get(), 1_250);
        clock.step(-3_600_000);
        assert_eq!(clock.read(1_300).get(), 1_350);
        clock.step(5_000);
        assert_eq!(clock.read(1_300).get(), 6_350);
    }

    #[test]
    fn a_frozen_clock_goes_on_as_it_is_told() {
        let mut clock = HostClock::new(0, 500, 0, true);
        clock.freeze(10);
        assert_eq!(clock.read(100).get(), 510);
        let mut suspended = clock;
        suspended.thaw(100, false);
        assert_eq!(suspended.read(101).get(), 511);
        clock.thaw(100, true);
        assert_eq!(clock.read(101).get(), 601);
    }
}

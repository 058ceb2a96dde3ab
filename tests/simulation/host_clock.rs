//! The clocks of hosts, which may do anything.

use leafid_core::{Clocks, HostTime};

/// How far a host's clock can be trusted when its generator's IDs are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// It only drifted, or was corrected by an answer since.
    Honest,
    /// It stood still or went back: IDs may be late until the store's next answer.
    Behind,
    /// It leapt ahead: IDs may be early until then, up to the end of the present window.
    Lost,
}

#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    shown: i64,
    since: i64,
    /// How much faster than true time it runs, in parts per million.
    ppm: i64,
    pub frozen: bool,
    /// Whether it can neither be set nor go back.
    pub monotonic: bool,
    second: Option<Second>,
    pub trust: Trust,
    disturbed_at: i64,
    told_at: i64,
    /// The error that answers may have left, in ms.
    pub error_ms: i64,
    /// IDs may be early up to this moment of the store: time had reached it when an answer corrected
    /// the clock, and does not go back.
    pub ahead_until: i64,
}

/// A clock that only ticks, and the result of comparing both clocks.
#[derive(Clone, Copy, Debug)]
struct Second {
    ppm: i64,
    /// How long it stood still in all, and since when it does now.
    stood: i64,
    asleep_since: Option<i64>,
    clocks: Clocks,
    looked_at: i64,
    /// The correction, subtracted from the first clock's readings.
    leapt: i64,
    /// Whether the first clock was set back since the last comparison.
    set_back: bool,
}

/// The distance of readings, in ms, from which the first clock is compared with the second; a smaller
/// leap is trusted.
const LOOK_MS: i64 = 1_000;
/// How wrong any clock may be, in ms.
pub const SLACK_MS: i64 = 1_000;
/// How long an honest clock may go without an answer, in ms, before its drift shows.
const SELDOM_MS: i64 = 600_000;

impl HostClock {
    /// A clock that shows `shown` at true time `t`.
    pub fn new(t: i64, shown: i64, ppm: i64, monotonic: bool) -> HostClock {
        HostClock {
            second: None,
            shown,
            since: t,
            ppm,
            frozen: false,
            monotonic,
            trust: Trust::Honest,
            disturbed_at: t,
            told_at: t,
            error_ms: i64::MAX,
            ahead_until: i64::MIN,
        }
    }

    /// Adds a second clock, which only ticks, and stands still while the host sleeps.
    pub fn beside(mut self, ppm: i64) -> HostClock {
        self.second = Some(Second {
            ppm,
            stood: 0,
            asleep_since: None,
            clocks: Clocks::default(),
            looked_at: i64::MIN,
            leapt: 0,
            set_back: false,
        });
        self
    }

    pub fn has_second(&self) -> bool {
        self.second.is_some()
    }

    /// Whether it was set back unnoticed: it was not read for about as long, so no reading was yet a
    /// second away from the last comparison.
    pub fn looks_unmoved(&self) -> bool {
        self.second.is_some_and(|second| second.set_back)
    }

    pub fn read(&self, t: i64) -> HostTime {
        HostTime::new(self.shows(t) - self.second.map_or(0, |second| second.leapt))
    }

    fn shows(&self, t: i64) -> i64 {
        if self.frozen {
            return self.shown;
        }
        let passed = t - self.since;
        self.shown + passed + passed * self.ppm / 1_000_000
    }

    /// Compares it with the second clock, as a host does before each reading and when an answer
    /// comes, and corrects it by a leap. Gives whether there was one.
    pub fn look(&mut self, t: i64, is_told: bool) -> bool {
        let (now, shows) = (self.read(t).get(), self.shows(t));
        let Some(second) = &mut self.second else { return false };
        if !is_told && now.saturating_sub(second.looked_at).saturating_abs() < LOOK_MS {
            return false;
        }
        let ticked = second.asleep_since.unwrap_or(t) - second.stood;
        let ticking = HostTime::new(ticked + ticked * second.ppm / 1_000_000);
        let by = second.clocks.look(ticking, HostTime::new(shows));
        second.leapt += by;
        second.looked_at = now - by;
        second.set_back = false;
        by != 0
    }

    pub fn drift(&mut self, t: i64, ppm: i64) {
        self.shown = self.shows(t);
        self.since = t;
        self.ppm = ppm;
    }

    /// Puts the host to sleep: the clock that only ticks stands still.
    pub fn sleep(&mut self, t: i64) {
        match &mut self.second {
            Some(second) => {
                second.asleep_since.get_or_insert(t);
                self.disturbed(t, Trust::Behind);
            }
            None => self.freeze(t),
        }
    }

    /// Stops the clock, as in a suspended machine, or an isolate between two inputs.
    pub fn freeze(&mut self, t: i64) {
        self.shown = self.shows(t);
        self.since = t;
        self.frozen = true;
        self.disturbed(t, Trust::Behind);
    }

    /// Lets it go on from where it stopped.
    pub fn thaw(&mut self, t: i64) {
        if self.frozen {
            self.since = t;
        }
        self.frozen = false;
        if let Some(second) = &mut self.second {
            second.stood += second.asleep_since.take().map_or(0, |since| t - since);
        }
        self.disturbed_at = t;
    }

    /// Notes an answer at `t` to a call sent at `sent_at`, which tells the time: earlier errors are
    /// corrected, except that time which had reached `reached` (on the store's clock) waits there.
    pub fn told(&mut self, sent_at: i64, t: i64, reached: i64) {
        let took = (t - sent_at).max(1);
        let mended = !self.frozen && sent_at > self.disturbed_at;
        if self.trust != Trust::Honest && mended {
            self.trust = Trust::Honest;
            self.error_ms = took;
            self.ahead_until = self.ahead_until.max(reached);
        } else if t - self.told_at > SELDOM_MS {
            self.error_ms = took;
            self.ahead_until = self.ahead_until.max(reached);
        } else {
            // IDs that were early within the old error were right, and time does not go back.
            if self.error_ms > SLACK_MS && took < self.error_ms && self.error_ms < i64::MAX {
                self.ahead_until = self.ahead_until.max(reached);
            }
            self.error_ms = self.error_ms.min(took);
        }
        self.told_at = t;
    }

    pub fn step(&mut self, t: i64, by: i64) {
        self.shown = self.shows(t) + by;
        self.since = t;
        if let Some(second) = &mut self.second {
            second.set_back |= by < 0;
        }
        if self.second.is_none() || by.abs() <= LOOK_MS {
            self.disturbed(t, if by > 0 { Trust::Lost } else { Trust::Behind });
        }
    }

    pub fn disturbed(&mut self, t: i64, trust: Trust) {
        self.disturbed_at = t;
        self.trust = self.trust.max(trust);
    }
}

//! The time of the store's servers: the server's own rule, over a source that may be wrong.

use leafid_core::StoreTime;
// The turn's own words for times: it knows the core without bugs.
use leafid_sound::{HostTime, StoreTime as Sound};
use leafid_turn::clock::{Clock, RegistryTime};

/// What the clocks of a server's machine show at one moment.
struct Shown {
    wall: i64,
    boot: i64,
}

impl Clock for Shown {
    fn wall(&self) -> Sound {
        Sound::new(self.wall)
    }

    fn boot(&self) -> HostTime {
        HostTime::new(self.boot)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct StoreClock {
    skew: i64,
    ppm: i64,
    start: i64,
    /// For so long a leap of the source is not believed, in ms.
    disbelief_ms: i64,
    time: RegistryTime,
}

impl StoreClock {
    /// A server that starts at true time `t`, whose source is wrong by `skew` and drifts, over a
    /// store whose greatest grant was made at `anchor` and whose longest window is
    /// `longest_window_ms`.
    pub fn new(
        t: i64,
        (skew, ppm): (i64, i64),
        anchor: StoreTime,
        longest_window_ms: i64,
    ) -> StoreClock {
        let time =
            RegistryTime::start(Sound::new(anchor.get()), &Shown { wall: t + skew, boot: t });
        StoreClock { skew, ppm, start: t, disbelief_ms: longest_window_ms, time }
    }

    pub fn read(&mut self, t: i64) -> StoreTime {
        let shown = Shown { wall: self.source(t), boot: t };
        let disbelief_ms = self.disbelief_ms;
        StoreTime::new(self.time.read(&shown, || disbelief_ms).0.get())
    }

    /// What a reading would show.
    pub fn peek(&self, t: i64) -> i64 {
        let mut copy = *self;
        copy.read(t).get()
    }

    pub fn step(&mut self, by: i64) {
        self.skew += by;
    }

    /// Starts again over a store whose greatest grant was made at `anchor`.
    pub fn restart(&mut self, t: i64, anchor: StoreTime) {
        let off = (self.source(t) - t, self.ppm);
        *self = StoreClock::new(t, off, anchor, self.disbelief_ms);
    }

    fn source(&self, t: i64) -> i64 {
        t + self.skew + (t - self.start) * self.ppm / 1_000_000
    }
}

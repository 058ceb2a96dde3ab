//! The time of the store's servers: the real server's rule, over a clock source that may be wrong.

use leafid_core::StoreTime;
// The turn's time types are those of the core without bugs.
use leafid_sound::{HostTime, StoreTime as Sound};
use leafid_turn::clock::{Clock, RegistryTime};

/// The readings of a server machine's clocks at one moment.
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
    /// How long a leap of the source is not trusted, in ms.
    disbelief_ms: i64,
    time: RegistryTime,
}

impl StoreClock {
    /// The clock of a server that starts at true time `t`, with a source that is wrong by `skew` and drifts,
    /// over a store whose last grant was at `anchor` and whose longest window is `longest_window_ms`.
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

    /// The time that a reading would give.
    pub fn peek(&self, t: i64) -> i64 {
        let mut copy = *self;
        copy.read(t).get()
    }

    pub fn step(&mut self, by: i64) {
        self.skew += by;
    }

    /// Restarts over a store whose last grant was at `anchor`.
    pub fn restart(&mut self, t: i64, anchor: StoreTime) {
        let off = (self.source(t) - t, self.ppm);
        *self = StoreClock::new(t, off, anchor, self.disbelief_ms);
    }

    fn source(&self, t: i64) -> i64 {
        t + self.skew + (t - self.start) * self.ppm / 1_000_000
    }
}

//! Whose clock counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

pub use crate::backends::remote::clock::Source;
use crate::clock::Clock;

/// A wall clock that stands where the last answer of the engine put it and ticks on from there, or
/// this machine's until an engine tells one.
pub struct EngineClock {
    source: Source,
    ticks: Arc<dyn Clock>,
    /// By how much the engine's clock is ahead of the ticking one; the least value: it tells none.
    ahead: AtomicI64,
}

impl EngineClock {
    /// Nothing was told yet.
    pub fn new(source: Source, ticks: Arc<dyn Clock>) -> EngineClock {
        EngineClock { source, ticks, ahead: AtomicI64::new(i64::MIN) }
    }

    /// Takes in what an answer told.
    pub fn learn(&self, now: StoreTime) {
        let ahead = now.get().saturating_sub(self.ticks.boot().get());
        self.ahead.store(ahead, Ordering::SeqCst);
    }
}

impl Clock for EngineClock {
    fn wall(&self) -> StoreTime {
        match (&self.source, self.ahead.load(Ordering::SeqCst)) {
            (Source::Given(clock), _) => clock.wall(),
            (Source::Database, i64::MIN) => self.ticks.wall(),
            (Source::Database, ahead) => {
                StoreTime::new(self.ticks.boot().get().saturating_add(ahead))
            }
        }
    }

    fn boot(&self) -> HostTime {
        self.ticks.boot()
    }
}

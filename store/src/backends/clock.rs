//! The clock of a database across a network, reckoned from the times in its answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

use crate::clock::{Clock, RegistryTime};

/// The clock that a store uses.
#[derive(Clone, Default)]
pub enum Source {
    /// The database's, if it has one: all its servers share it.
    #[default]
    Database,
    /// A given clock, for tests that set it.
    Given(Arc<dyn Clock>),
}

/// A wall clock that the database's last answer set and that ticks on from there. Before the first answer
/// it is this machine's.
pub struct DatabaseClock {
    source: Source,
    ticks: Arc<dyn Clock>,
    /// How far the database's clock is ahead of the ticking one, in ms; `i64::MIN` before any answer.
    ahead: AtomicI64,
}

impl DatabaseClock {
    /// Makes a clock that no answer has set.
    pub fn new(source: Source, ticks: Arc<dyn Clock>) -> DatabaseClock {
        DatabaseClock { source, ticks, ahead: AtomicI64::new(i64::MIN) }
    }

    /// Sets the clock to the time of an answer.
    pub fn learn(&self, now: StoreTime) {
        let ahead = now.get().saturating_sub(self.ticks.boot().get());
        self.ahead.store(ahead, Ordering::SeqCst);
    }
}

impl Clock for DatabaseClock {
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

/// Reads the registry's time from the clock of this name, and logs a leap.
pub fn read(
    time: &mut RegistryTime,
    clock: &dyn Clock,
    name: &str,
    longest: impl FnOnce() -> i64,
) -> StoreTime {
    let (now, leap) = time.read(clock, longest);
    if let Some(leap) = leap {
        let by_ms = leap.by_ms;
        tracing::warn!(by_ms, "{name} jumped forward; it is not believed for one max_window");
    }
    now
}

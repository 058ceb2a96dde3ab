//! The clock of a database across a network, as far as its answers tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

use crate::clock::{Clock, RegistryTime};

/// Whose clock counts.
#[derive(Clone, Default)]
pub enum Source {
    /// The database's, where it tells one: all its servers have one.
    #[default]
    Database,
    /// This one: for tests that set it.
    Given(Arc<dyn Clock>),
}

/// A wall clock that stands where the last answer of the database put it and ticks on from there, or
/// this machine's until one is told.
pub struct DatabaseClock {
    source: Source,
    ticks: Arc<dyn Clock>,
    /// By how much the database's clock is ahead of the ticking one; the least value: it tells none.
    ahead: AtomicI64,
}

impl DatabaseClock {
    /// Nothing was told yet.
    pub fn new(source: Source, ticks: Arc<dyn Clock>) -> DatabaseClock {
        DatabaseClock { source, ticks, ahead: AtomicI64::new(i64::MIN) }
    }

    /// Takes in what an answer told.
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

/// The registry's time now, by a clock that is called so; a leap of it goes to the log.
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

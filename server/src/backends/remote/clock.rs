//! The database's clock, as far as its answers tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

use crate::clock::Clock;

/// Whose clock counts.
#[derive(Clone)]
pub enum Source {
    /// The database's: all its servers have one.
    Database,
    /// This one: for tests that set it.
    Given(Arc<dyn Clock>),
}

/// A wall clock that stands where the last answer of the database put it, and ticks on from there.
pub struct DatabaseClock {
    source: Source,
    ticks: Arc<dyn Clock>,
    said: AtomicI64,
    boot: AtomicI64,
}

impl DatabaseClock {
    /// Nothing is known yet.
    pub fn new(source: Source, ticks: Arc<dyn Clock>) -> DatabaseClock {
        let (said, boot) = (AtomicI64::new(ticks.wall().get()), ticks.boot().get());
        DatabaseClock { source, ticks, said, boot: AtomicI64::new(boot) }
    }

    /// Takes in what an answer said.
    pub fn learn(&self, now_ms: i64) {
        self.said.store(now_ms, Ordering::SeqCst);
        self.boot.store(self.ticks.boot().get(), Ordering::SeqCst);
    }
}

impl Clock for DatabaseClock {
    fn wall(&self) -> StoreTime {
        match &self.source {
            Source::Given(clock) => clock.wall(),
            Source::Database => {
                let since =
                    self.ticks.boot().since(HostTime::new(self.boot.load(Ordering::SeqCst)));
                StoreTime::new(self.said.load(Ordering::SeqCst)).plus(since.max(0))
            }
        }
    }

    fn boot(&self) -> HostTime {
        self.ticks.boot()
    }
}

//! A clock for tests.

use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

use super::Clock;

/// A clock that stands where a test puts it.
#[derive(Debug, Default)]
pub struct ManualClock {
    wall: AtomicI64,
    pub(super) boot: AtomicI64,
}

impl ManualClock {
    /// Both clocks show `at`.
    pub fn at(at: StoreTime) -> ManualClock {
        ManualClock { wall: AtomicI64::new(at.get()), boot: AtomicI64::new(at.get()) }
    }

    /// Time passes, or is set to `at`, on both clocks.
    pub fn set(&self, at: StoreTime) {
        self.wall.store(at.get(), Ordering::SeqCst);
        self.boot.store(at.get(), Ordering::SeqCst);
    }

    /// Somebody sets the wall clock.
    pub fn step_wall(&self, ms: i64) {
        self.wall.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn wall(&self) -> StoreTime {
        StoreTime::new(self.wall.load(Ordering::SeqCst))
    }

    fn boot(&self) -> HostTime {
        HostTime::new(self.boot.load(Ordering::SeqCst))
    }
}

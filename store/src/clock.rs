//! This machine's clocks, behind a trait that tests replace, and the registry's time over them.

use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

pub use leafid_turn::clock::{Clock, RegistryTime, strayed, strays};

/// This machine's clocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn wall(&self) -> StoreTime {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        StoreTime::new(
            since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    #[cfg(unix)]
    fn boot(&self) -> HostTime {
        // The clock that ticks on while the machine sleeps has two names.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let id = rustix::time::ClockId::Boottime;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let id = rustix::time::ClockId::Monotonic;
        let time = rustix::time::clock_gettime(id);
        HostTime::new(time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
    }

    #[cfg(not(unix))]
    fn boot(&self) -> HostTime {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        let elapsed = START.get_or_init(std::time::Instant::now).elapsed();
        HostTime::new(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A clock that moves only when a test sets it.
#[derive(Debug, Default)]
pub struct ManualClock {
    wall: AtomicI64,
    boot: AtomicI64,
}

impl ManualClock {
    /// Makes a clock with both times at `at`.
    pub fn at(at: StoreTime) -> ManualClock {
        ManualClock { wall: AtomicI64::new(at.get()), boot: AtomicI64::new(at.get()) }
    }

    /// Sets both clocks to `at`.
    pub fn set(&self, at: StoreTime) {
        self.wall.store(at.get(), Ordering::SeqCst);
        self.boot.store(at.get(), Ordering::SeqCst);
    }

    /// Moves only the wall clock, by `ms`.
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

#[cfg(test)]
mod tests;

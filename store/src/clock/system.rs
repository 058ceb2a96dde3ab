//! The clocks of this machine.

use leafid_core::{HostTime, StoreTime};

use super::Clock;

/// The clocks of the machine.
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
        // The clock that goes on while the machine sleeps has two names.
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

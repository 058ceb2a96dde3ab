//! The host's clocks: a monotonic one for generators, the wall clock for memory stores and to detect
//! leaps. Tests bring one that they move by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use leafid_core::HostTime;

/// The clock that a generator reads: the host's, or a test's.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<TestClock>>);

impl Clock {
    pub fn of_test(clock: Arc<TestClock>) -> Clock {
        Clock(Some(clock))
    }

    /// Monotonic time in steps of a few ms; a read costs a nanosecond or two.
    #[inline]
    pub fn now(&self) -> HostTime {
        self.monotonic(Steps::Coarse)
    }

    /// Exact monotonic time, for everything but the hot path.
    pub fn exact(&self) -> HostTime {
        self.monotonic(Steps::Exact)
    }

    /// Monotonic time that also counts while the machine sleeps, where the system has such a clock.
    pub fn boot(&self) -> HostTime {
        self.monotonic(Steps::Boot)
    }

    #[inline]
    fn monotonic(&self, steps: Steps) -> HostTime {
        self.0.as_ref().map_or_else(|| monotonic(steps), |test| test.monotonic())
    }

    pub fn wall(&self) -> HostTime {
        self.0.as_ref().map_or_else(wall, |test| test.wall())
    }

    /// Whether a test moves the clock: it may stand still, or leap.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    Coarse,
    Exact,
    Boot,
}

#[cfg(target_os = "linux")]
#[inline]
fn monotonic(steps: Steps) -> HostTime {
    use rustix::time::{ClockId, clock_gettime};
    let now = match steps {
        Steps::Coarse => return coarse(),
        Steps::Exact => clock_gettime(ClockId::Monotonic),
        Steps::Boot => clock_gettime(ClockId::Boottime),
    };
    HostTime::new(now.tv_sec * 1_000 + now.tv_nsec / 1_000_000)
}

/// The coarse clock, by the C library, which needs a fourth of the time that rustix does.
#[cfg(target_os = "linux")]
#[inline]
#[expect(unsafe_code, reason = "the C library's own call")]
fn coarse() -> HostTime {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one `timespec`, or fails and writes nothing.
    match unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &mut now) } {
        0 => HostTime::new(now.tv_sec * 1_000 + now.tv_nsec / 1_000_000),
        // Not every kernel has it.
        _ => monotonic(Steps::Exact),
    }
}

#[cfg(not(target_os = "linux"))]
fn monotonic(_: Steps) -> HostTime {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let passed = START.get_or_init(std::time::Instant::now).elapsed().as_millis();
    HostTime::new(i64::try_from(passed).unwrap_or(i64::MAX))
}

fn wall() -> HostTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    HostTime::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A clock that a test can freeze, step back or make leap; until then it shows the host's.
#[derive(Debug, Default)]
pub struct TestClock {
    frozen: AtomicBool,
    stood_monotonic: AtomicI64,
    stood_wall: AtomicI64,
    shift_monotonic: AtomicI64,
    shift_wall: AtomicI64,
}

impl TestClock {
    pub fn freeze(&self) {
        self.stood_monotonic.store(monotonic(Steps::Exact).get(), Ordering::Release);
        self.stood_wall.store(wall().get(), Ordering::Release);
        self.frozen.store(true, Ordering::Release);
    }

    pub fn thaw(&self) {
        self.frozen.store(false, Ordering::Release);
    }

    pub fn step_monotonic(&self, ms: i64) {
        self.shift_monotonic.fetch_add(ms, Ordering::AcqRel);
    }

    pub fn step_wall(&self, ms: i64) {
        self.shift_wall.fetch_add(ms, Ordering::AcqRel);
    }

    pub fn monotonic(&self) -> HostTime {
        self.shown(monotonic(Steps::Exact), &self.stood_monotonic, &self.shift_monotonic)
    }

    pub fn wall(&self) -> HostTime {
        self.shown(wall(), &self.stood_wall, &self.shift_wall)
    }

    fn shown(&self, running: HostTime, stood: &AtomicI64, shift: &AtomicI64) -> HostTime {
        let frozen = self.frozen.load(Ordering::Acquire);
        let base = if frozen { HostTime::new(stood.load(Ordering::Acquire)) } else { running };
        base.plus(shift.load(Ordering::Acquire))
    }
}

//! The host's clocks: a monotonic one for the generators, the wall for memory stores and to notice
//! a suspend. Tests bring hands of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use leafid_core::HostTime;
use pyo3::prelude::*;

/// Where a generator reads the time.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<Hands>>);

impl Clock {
    /// The clock of `leafid.testing`, or the host's.
    pub fn given(clock: Option<PyRef<'_, TestClock>>) -> Clock {
        Clock(clock.map(|clock| Arc::clone(&clock.0)))
    }

    /// Monotonic time in steps of a few ms, for one nanosecond or two.
    #[inline]
    pub fn now(&self) -> HostTime {
        match &self.0 {
            None => monotonic(Steps::Coarse),
            Some(hands) => hands.monotonic(),
        }
    }

    /// Monotonic time, exact: for the moment when coarse time has nothing left to give.
    pub fn exact(&self) -> HostTime {
        match &self.0 {
            None => monotonic(Steps::Exact),
            Some(hands) => hands.monotonic(),
        }
    }

    /// Time since 1970.
    pub fn wall(&self) -> HostTime {
        match &self.0 {
            None => wall(),
            Some(hands) => hands.wall(),
        }
    }

    /// Whether tests move it: it may then stand still, or leap.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    Coarse,
    Exact,
}

#[cfg(target_os = "linux")]
#[inline]
fn monotonic(steps: Steps) -> HostTime {
    if steps == Steps::Coarse
        && let Some(now) = read(libc::CLOCK_MONOTONIC_COARSE)
    {
        return now;
    }
    read(libc::CLOCK_MONOTONIC).unwrap_or_default()
}

#[cfg(target_os = "linux")]
#[inline]
#[expect(unsafe_code, reason = "the standard library has no coarse clock")]
fn read(clock: libc::clockid_t) -> Option<HostTime> {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `now`, which lives longer than it.
    let refused = unsafe { libc::clock_gettime(clock, &raw mut now) } != 0;
    (!refused).then(|| HostTime::new(now.tv_sec * 1_000 + now.tv_nsec / 1_000_000))
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

/// What a test's clock shows: the host's clocks, or where they were frozen, and shifts.
#[derive(Debug, Default)]
struct Hands {
    frozen: AtomicBool,
    stood_monotonic: AtomicI64,
    stood_wall: AtomicI64,
    shift_monotonic: AtomicI64,
    shift_wall: AtomicI64,
}

impl Hands {
    fn shown(&self, running: HostTime, stood: &AtomicI64, shift: &AtomicI64) -> HostTime {
        let frozen = self.frozen.load(Ordering::Acquire);
        let base = if frozen { HostTime::new(stood.load(Ordering::Acquire)) } else { running };
        base.plus(shift.load(Ordering::Acquire))
    }

    fn monotonic(&self) -> HostTime {
        self.shown(monotonic(Steps::Exact), &self.stood_monotonic, &self.shift_monotonic)
    }

    fn wall(&self) -> HostTime {
        self.shown(wall(), &self.stood_wall, &self.shift_wall)
    }
}

/// A host's clock that a test freezes, steps back and lets leap.
///
/// It shows the real clocks until told otherwise. Pass it as `clock=` to a generator or a
/// `MemoryStore`.
#[pyclass(frozen, name = "Clock", module = "leafid.testing")]
pub struct TestClock(Arc<Hands>);

#[pymethods]
impl TestClock {
    #[new]
    fn new() -> TestClock {
        TestClock(Arc::default())
    }

    /// Stops both clocks where they stand; steps still move them.
    fn freeze(&self) {
        self.0.stood_monotonic.store(monotonic(Steps::Exact).get(), Ordering::Release);
        self.0.stood_wall.store(wall().get(), Ordering::Release);
        self.0.frozen.store(true, Ordering::Release);
    }

    /// Lets both clocks run again.
    fn thaw(&self) {
        self.0.frozen.store(false, Ordering::Release);
    }

    /// Moves both clocks by `ms`, as the passing of time does.
    fn advance(&self, ms: i64) {
        self.step_monotonic(ms);
        self.step_wall(ms);
    }

    /// Moves the monotonic clock alone by `ms`; back, if negative.
    fn step_monotonic(&self, ms: i64) {
        self.0.shift_monotonic.fetch_add(ms, Ordering::AcqRel);
    }

    /// Moves the wall clock alone by `ms`; back, if negative.
    fn step_wall(&self, ms: i64) {
        self.0.shift_wall.fetch_add(ms, Ordering::AcqRel);
    }

    /// What the monotonic clock shows, in ms.
    #[getter]
    fn monotonic_ms(&self) -> i64 {
        self.0.monotonic().get()
    }

    /// What the wall clock shows, in ms since 1970.
    #[getter]
    fn wall_ms(&self) -> i64 {
        self.0.wall().get()
    }
}

//! The clocks of this machine, behind a trait that tests replace, and the registry's time over
//! them.

use std::sync::atomic::{AtomicI64, Ordering};

use leafid_core::{HostTime, StoreTime};

/// A wall clock that steps forward by more than this between two readings is not believed.
const LARGEST_STEP_MS: i64 = 60_000;

/// A wall clock that stands further above the last time that a store knows is not believed at
/// start: a store that stood still over a holiday starts without a word.
const MOST_AHEAD_MS: i64 = 30 * 86_400_000;
/// A wall clock that stands further below the last grant of a store is not believed at start.
const MOST_BEHIND_MS: i64 = 86_400_000;

/// What a store and a server read.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970: may step and be wrong.
    fn wall(&self) -> StoreTime;
    /// Milliseconds since some moment, suspends included: only ticks.
    fn boot(&self) -> HostTime;
}

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

/// A clock that stands where a test puts it.
#[derive(Debug, Default)]
pub struct ManualClock {
    wall: AtomicI64,
    boot: AtomicI64,
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

/// Whether a store's wall clock stands where no pause explains it.
///
/// `granted` is the latest time of a grant, `seen` the latest time that the store has written at
/// all; without a grant nothing is known. Gives the time that the source strays from.
pub fn strays(source: StoreTime, granted: StoreTime, seen: StoreTime) -> Option<StoreTime> {
    let known = granted.max(seen);
    if granted.get() <= 0 {
        None
    } else if granted.since(source) > MOST_BEHIND_MS {
        Some(granted)
    } else if source.since(known) > MOST_AHEAD_MS {
        Some(known)
    } else {
        None
    }
}

/// The registry's time: the source's, as long as it can be believed, and never back.
///
/// It is the greater of the source and of the latest moment known plus what has passed since by a
/// clock that only ticks. The first moment known is the greatest that the store has written.
#[derive(Clone, Copy, Debug)]
pub struct RegistryTime {
    now: StoreTime,
    source: StoreTime,
    boot: HostTime,
    /// Until when (by the ticking clock) the source is not believed.
    distrusts_until: Option<HostTime>,
}

/// A forward step of the source that is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leap {
    /// By how much, in ms.
    pub by_ms: i64,
}

impl RegistryTime {
    /// Begins: the source is believed if it lies above the anchor.
    pub fn start(anchor: StoreTime, clock: &dyn Clock) -> RegistryTime {
        let (source, boot) = (clock.wall(), clock.boot());
        RegistryTime { now: source.max(anchor), source, boot, distrusts_until: None }
    }

    /// The time now. A forward step of the source by more than a minute is not believed for
    /// `max_window_ms`, and reported.
    pub fn read(
        &mut self,
        clock: &dyn Clock,
        max_window_ms: impl FnOnce() -> i64,
    ) -> (StoreTime, Option<Leap>) {
        let (source, boot) = (clock.wall(), clock.boot());
        let elapsed = boot.since(self.boot).max(0);
        let own = self.now.plus(elapsed);
        let step = source.since(self.source).saturating_sub(elapsed);
        self.source = source;
        self.boot = boot.max(self.boot);
        let mut leap = None;
        if step > LARGEST_STEP_MS && source > own {
            self.distrusts_until = Some(self.boot.plus(max_window_ms()));
            leap = Some(Leap { by_ms: step });
        }
        let over = |until: HostTime| boot >= until || source.since(own) <= LARGEST_STEP_MS;
        if self.distrusts_until.is_some_and(over) {
            self.distrusts_until = None;
        }
        self.now = if self.distrusts_until.is_some() { own } else { own.max(source) };
        (self.now, leap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(time: &mut RegistryTime, clock: &ManualClock) -> i64 {
        time.read(clock, || 600_000).0.get()
    }

    #[test]
    fn time_goes_on_through_a_clock_that_is_set_back() {
        let clock = ManualClock::at(StoreTime::new(1_000_000));
        let mut time = RegistryTime::start(StoreTime::new(0), &clock);
        clock.step_wall(-3_600_000);
        assert_eq!(read(&mut time, &clock), 1_000_000);
        clock.boot.fetch_add(500, Ordering::SeqCst);
        assert_eq!(read(&mut time, &clock), 1_000_500);
    }

    #[test]
    fn a_leap_is_believed_only_after_a_window() {
        let clock = ManualClock::at(StoreTime::new(1_000_000));
        let mut time = RegistryTime::start(StoreTime::new(0), &clock);
        clock.step_wall(3_600_000);
        let (now, leap) = time.read(&clock, || 600_000);
        assert_eq!((now.get(), leap), (1_000_000, Some(Leap { by_ms: 3_600_000 })));
        for _ in 0..599 {
            clock.boot.fetch_add(1_000, Ordering::SeqCst);
            clock.step_wall(1_000);
            read(&mut time, &clock);
        }
        assert_eq!(read(&mut time, &clock), 1_599_000);
        clock.boot.fetch_add(1_000, Ordering::SeqCst);
        clock.step_wall(1_000);
        assert_eq!(read(&mut time, &clock), 5_200_000);
    }

    #[test]
    fn a_leap_that_is_taken_back_was_none() {
        let clock = ManualClock::at(StoreTime::new(1_000_000));
        let mut time = RegistryTime::start(StoreTime::new(0), &clock);
        clock.step_wall(3_600_000);
        read(&mut time, &clock);
        clock.step_wall(-3_600_000);
        assert_eq!(read(&mut time, &clock), 1_000_000);
        clock.step_wall(30_000);
        assert_eq!(read(&mut time, &clock), 1_030_000);
    }

    #[test]
    fn a_clock_that_strays_from_the_last_grant_is_named() {
        const DAY: i64 = 86_400_000;
        let at = |days: i64| StoreTime::new(20_000 * DAY + days * DAY);
        let never = StoreTime::new(0);
        for (source, granted, seen, gives) in [
            (at(0), at(0), never, None),
            (at(30), at(0), never, None),
            (at(31), at(0), never, Some(at(0))),
            (at(3650), at(0), never, Some(at(0))),
            (at(-1), at(0), never, None),
            (at(-2), at(0), never, Some(at(0))),
            // Numbers were leased meanwhile, and no window.
            (at(31), at(0), at(5), None),
            (at(36), at(0), at(5), Some(at(5))),
            // Only grants speak against an earlier time.
            (at(0), at(0), at(3650), None),
            (at(0), never, never, None),
            (at(0), never, at(3650), None),
        ] {
            assert_eq!(strays(source, granted, seen), gives, "{source:?} {granted:?} {seen:?}");
        }
    }

    #[test]
    fn a_pause_is_no_step_and_a_restart_begins_above_what_was_written() {
        let clock = ManualClock::at(StoreTime::new(1_000_000));
        let mut time = RegistryTime::start(StoreTime::new(2_000_000), &clock);
        assert_eq!(read(&mut time, &clock), 2_000_000);
        clock.set(StoreTime::new(9_000_000));
        assert_eq!(read(&mut time, &clock), 10_000_000);
    }
}

//! The registry's time over clocks that may be wrong.

use alloc::format;

use leafid_core::{Code, HostTime, StoreTime};

use crate::problem::Problem;
use crate::utc;

/// The largest step forward between two readings that is believed.
const LARGEST_STEP_MS: i64 = 60_000;

/// The clocks of a machine.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock, in ms since 1970: it may step, and be wrong.
    fn wall(&self) -> StoreTime;
    /// A monotonic clock, in ms since some moment, suspends included.
    fn boot(&self) -> HostTime;
}

/// PROTOCOL R19: the registry's time: the wall clock's as long as that can be believed, and never back.
///
/// It is the greater of the wall clock, and of the last reading plus the time since then by the monotonic
/// clock. The first reading is not below the latest time in the store.
#[derive(Clone, Copy, Debug)]
pub struct RegistryTime {
    now: StoreTime,
    source: StoreTime,
    boot: HostTime,
    /// Until when (by the monotonic clock) the wall clock is not believed.
    distrusts_until: Option<HostTime>,
}

impl RegistryTime {
    /// Begins at the wall clock, or at the anchor if that is later.
    pub fn start(anchor: StoreTime, clock: &dyn Clock) -> RegistryTime {
        let (source, boot) = (clock.wall(), clock.boot());
        RegistryTime { now: source.max(anchor), source, boot, distrusts_until: None }
    }

    /// The time now. A step forward of the wall clock by more than a minute is reported, in ms, and not believed
    /// for `max_window_ms`.
    pub fn read(
        &mut self,
        clock: &dyn Clock,
        max_window_ms: impl FnOnce() -> i64,
    ) -> (StoreTime, Option<i64>) {
        let (source, boot) = (clock.wall(), clock.boot());
        let elapsed = boot.since(self.boot).max(0);
        let own = self.now.plus(elapsed);
        let step = source.since(self.source).saturating_sub(elapsed);
        self.source = source;
        self.boot = boot.max(self.boot);
        let mut leap = None;
        if step > LARGEST_STEP_MS && source > own {
            self.distrusts_until = Some(self.boot.plus(max_window_ms()));
            leap = Some(step);
        }
        let over = |until: HostTime| boot >= until || source.since(own) <= LARGEST_STEP_MS;
        if self.distrusts_until.is_some_and(over) {
            self.distrusts_until = None;
        }
        self.now = if self.distrusts_until.is_some() { own } else { own.max(source) };
        (self.now, leap)
    }
}

/// At start, a wall clock further ahead of the latest time in the store is not believed. A store that stood
/// still over a holiday passes.
const MOST_AHEAD_MS: i64 = 30 * 86_400_000;
/// At start, a wall clock further behind the last grant of the store is not believed.
const MOST_BEHIND_MS: i64 = 86_400_000;

/// Whether a wall clock is further from the store's times than a pause explains.
///
/// `granted` is the time of the last grant, `seen` the latest time in the store; without a grant nothing is
/// known. Gives the time that the clock strays from.
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

/// The refusal of a clock (named as in `this machine's clock`) that strays from the store's times.
pub fn strayed(clock: &str, source: StoreTime, known: StoreTime) -> Problem {
    let by = source.since(known).saturating_abs() / 86_400_000;
    let side = if source > known { "after" } else { "before" };
    let detail = format!(
        "{clock} says {}, {by} days {side} the last time that this store has seen, {}; IDs \
         would carry a wrong time for good: set the clock, or, if it is right, start with: leafid \
         serve --believe-clock",
        utc::text(source),
        utc::text(known)
    );
    Problem::new(Code::StoreRefused, detail)
}

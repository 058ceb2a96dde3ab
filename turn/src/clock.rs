//! The registry's time over clocks that may be wrong.

use alloc::format;

use leafid_core::{Code, HostTime, StoreTime};

use crate::problem::Problem;
use crate::utc;

/// A wall clock that steps forward by more than this between two readings is not believed.
const LARGEST_STEP_MS: i64 = 60_000;

/// What a store and a server read.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970: may step and be wrong.
    fn wall(&self) -> StoreTime;
    /// Milliseconds since some moment, suspends included: only ticks.
    fn boot(&self) -> HostTime;
}

/// PROTOCOL R19: the registry's time, the source's as long as it can be believed, and never back.
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

/// A wall clock that stands further above the last time that a store knows is not believed at
/// start: a store that stood still over a holiday starts without a word.
const MOST_AHEAD_MS: i64 = 30 * 86_400_000;
/// A wall clock that stands further below the last grant of a store is not believed at start.
const MOST_BEHIND_MS: i64 = 86_400_000;

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

/// A clock (`this machine's clock`) that strays from what the store knows.
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

//! The registry's time over clocks that may be wrong.

use leafid_core::{HostTime, StoreTime};

/// A wall clock that steps forward by more than this between two readings is not believed.
const LARGEST_STEP_MS: i64 = 60_000;

/// What a store and a server read.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970: may step and be wrong.
    fn wall(&self) -> StoreTime;
    /// Milliseconds since some moment, suspends included: only ticks.
    fn boot(&self) -> HostTime;
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

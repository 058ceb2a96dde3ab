//! Times in whole milliseconds, which the host passes in. The host's clock and the store's have two
//! types, and only an [`Offset`] converts one into the other.

use core::hint::cold_path;

macro_rules! clock {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(i64);

        impl $name {
            /// The latest time.
            pub const MAX: $name = $name(i64::MAX);
            /// The earliest time.
            pub const MIN: $name = $name(i64::MIN);

            /// That many milliseconds.
            pub const fn new(ms: i64) -> $name {
                $name(ms)
            }

            /// The number of milliseconds.
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The time `ms` milliseconds later (earlier, if negative).
            #[must_use]
            pub const fn plus(self, ms: i64) -> $name {
                $name(self.0.saturating_add(ms))
            }

            /// How many milliseconds have passed since `earlier` (negative if it lies ahead).
            pub const fn since(self, earlier: $name) -> i64 {
                self.0.saturating_sub(earlier.0)
            }
        }

        impl From<$name> for i64 {
            fn from(time: $name) -> i64 {
                time.0
            }
        }
    };
}

clock! {
    /// Milliseconds on a host's clock, which only has to tick: it may begin anywhere, even below zero.
    /// Arithmetic saturates.
    ///
    /// Use a monotonic clock if there is one: it does not change when the wall clock is set.
    ///
    /// ```
    /// use leafid_core::HostTime;
    /// use std::time::Instant;
    /// let began = Instant::now();
    /// let now = || HostTime::new(began.elapsed().as_millis() as i64);
    /// assert!(now() >= HostTime::new(0));
    ///
    /// assert_eq!(HostTime::new(5).plus(10).since(HostTime::new(3)), 12);
    /// assert_eq!(HostTime::MAX.plus(1), HostTime::MAX);
    /// ```
    HostTime
}

clock! {
    /// Milliseconds since 1970 on a store's clock: the time in IDs and of the ends of windows. Arithmetic
    /// saturates.
    ///
    /// ```
    /// use leafid_core::{Layout, StoreTime};
    /// let tick = Layout::LEAF.tick(StoreTime::new(1_700_000_000_000))?;
    /// assert_eq!(Layout::LEAF.time(tick), StoreTime::new(1_700_000_000_000));
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    StoreTime
}

/// The store's clock minus the host's, in ms, within the bounds that answers have proved.
///
/// An answer written at `now` (store's clock), to an ask that left at `sent`, received at `received`
/// (host's clock), proves `now - received <= offset <= now - sent`.
///
/// A generator keeps its own ([`Line::offset`](crate::Line::offset)); a host needs one to show the
/// store's times on its own clock.
///
/// ```
/// use leafid_core::{HostTime, Offset, StoreTime};
/// // The host's clock showed 2,000 ms when the store's showed 1,800,000,000,000 ms since 1970.
/// let offset = Offset::new(1_800_000_000_000 - 2_000);
/// assert_eq!(offset.to_store(HostTime::new(2_500)), StoreTime::new(1_800_000_000_500));
/// assert_eq!(offset.to_host(StoreTime::new(1_800_000_001_000)), HostTime::new(3_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset(i64);

impl Offset {
    /// That many milliseconds.
    pub const fn new(ms: i64) -> Offset {
        Offset(ms)
    }

    /// The number of milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The store's time at this reading of the host's clock.
    pub const fn to_store(self, host: HostTime) -> StoreTime {
        match host.0.checked_add(self.0) {
            Some(ms) => StoreTime(ms),
            None => {
                cold_path();
                StoreTime(host.0.saturating_add(self.0))
            }
        }
    }

    /// The host's clock at this time of the store.
    pub const fn to_host(self, store: StoreTime) -> HostTime {
        HostTime(store.0.saturating_sub(self.0))
    }

    /// The offset after this answer: the middle of the first bounds, later the old one moved only as far
    /// as the new bounds demand. The bounds of a slow answer are wide, not wrong.
    ///
    /// Taking the middle each time would add jitter with every slow answer; keeping the first would
    /// never correct for drift.
    pub(crate) fn after(
        before: Option<Offset>,
        sent: HostTime,
        received: HostTime,
        now: StoreTime,
    ) -> Offset {
        let low = now.0.saturating_sub(received.0);
        let high = now.0.saturating_sub(sent.0).max(low);
        Offset(match before {
            None => low.saturating_add(high.saturating_sub(low) / 2),
            Some(known) => known.0.clamp(low, high),
        })
    }
}

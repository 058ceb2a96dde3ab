//! Whether a host's wall clock leapt.

use crate::values::HostTime;

/// Clocks that part by more than this between two looks did not drift: one of them leapt, in ms.
const LEAP_MS: i64 = 1_000;

/// Compares a host's wall clock with one that only ticks. They part when the wall clock is set, and
/// when the host sleeps, where the other stands still meanwhile. Only the store can tell which of the
/// two is right.
///
/// | the host passes to its generator | looks | after a leap |
/// |---|---|---|
/// | the clock that ticks | once a second | goes on |
/// | the wall clock | where a reading lies a second away from the last look, and when an answer comes | takes the leap off every reading from this one on |
///
/// So time goes on by the clock that ticks either way; then call
/// [`Generator::resumed`](crate::Generator::resumed), and the store's answer decides.
///
/// ```
/// use leafid_core::{Clocks, HostTime};
/// let ms = HostTime::new;
/// let mut clocks = Clocks::default();
/// assert_eq!(clocks.look(ms(50), ms(1_800_000_000_000)), 0, "nothing to compare with");
/// assert_eq!(clocks.look(ms(60_050), ms(1_800_000_060_900)), 0, "drift, or a small step");
/// assert_eq!(clocks.look(ms(60_051), ms(1_800_003_660_901)), 3_600_000, "an hour asleep, or set");
/// assert_eq!(clocks.look(ms(60_052), ms(1_800_003_660_902)), 0, "told once");
/// assert_eq!(clocks.look(ms(60_053), ms(1_800_000_060_903)), -3_600_000, "set back");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    gap_ms: Option<i64>,
}

impl Clocks {
    /// By how many ms the wall clock leapt ahead (back, if negative) since the last look; 0 where it
    /// was no more than a second.
    pub fn look(&mut self, ticking: HostTime, wall: HostTime) -> i64 {
        let gap_ms = wall.since(ticking);
        let before = self.gap_ms.replace(gap_ms).unwrap_or(gap_ms);
        let by = gap_ms.saturating_sub(before);
        if by.saturating_abs() <= LEAP_MS { 0 } else { by }
    }
}

//! Notices leaps of a host's wall clock.

use crate::values::HostTime;

/// Two clocks that diverge by more than this between two looks did not drift: one leapt. In ms.
const LEAP_MS: i64 = 1_000;

/// Compares a host's wall clock with one that only ticks. They diverge when the wall clock is set,
/// and when the host sleeps if the ticking clock stops meanwhile. Only the store can tell which of
/// the two is right.
///
/// | passed to the generator | call `look` | after a leap |
/// |---|---|---|
/// | the ticking clock | once a second | change nothing |
/// | the wall clock | a second away from the last look; at each answer | subtract it from all later readings |
///
/// Either way time goes on by the ticking clock; then call
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
    /// How many ms the wall clock leapt ahead (back, if negative) since the last look; 0 for a second
    /// or less.
    pub fn look(&mut self, ticking: HostTime, wall: HostTime) -> i64 {
        let gap_ms = wall.since(ticking);
        let before = self.gap_ms.replace(gap_ms).unwrap_or(gap_ms);
        let by = gap_ms.saturating_sub(before);
        if by.saturating_abs() <= LEAP_MS { 0 } else { by }
    }
}

//! Whether the host was asleep.

use crate::values::HostTime;

/// A gap between the clocks that grew by more than this was a suspend, in ms.
const SUSPEND_MS: i64 = 1_000;

/// Notices that the host was suspended, where a monotonic clock stands still and the wall clock
/// goes on: the gap between the two has grown by more than a second since the last lease. What a
/// window promises may be over then, though the monotonic clock does not show it.
///
/// ```
/// use leafid_core::{HostTime, Suspend};
/// let ms = HostTime::new;
/// let mut suspend = Suspend::default();
/// suspend.leased(ms(50), ms(1_800_000_000_000));
/// assert!(!suspend.look(ms(60_050), ms(1_800_000_060_900)), "drift, or a small step");
/// assert!(suspend.look(ms(60_051), ms(1_800_003_600_000)), "an hour asleep");
/// assert!(!suspend.look(ms(60_052), ms(1_800_003_600_001)), "told once");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Suspend {
    gap_ms: Option<i64>,
}

impl Suspend {
    /// A lease was granted: from here on the gap is measured.
    pub fn leased(&mut self, now: HostTime, wall: HostTime) {
        self.gap_ms = Some(wall.since(now));
    }

    /// Whether the host was suspended since the last lease, told once; then call
    /// [`Generator::resumed`](crate::Generator::resumed).
    pub fn look(&mut self, now: HostTime, wall: HostTime) -> bool {
        let gap_ms = wall.since(now);
        let grew = self.gap_ms.is_some_and(|before| gap_ms.saturating_sub(before) > SUSPEND_MS);
        if grew {
            self.gap_ms = Some(gap_ms);
        }
        grew
    }
}

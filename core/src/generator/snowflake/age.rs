//! How long a holder has lived.

use crate::values::HostTime;

/// The age of a holder: the sum of its clock's forward steps between asks. As a difference of two
/// readings, the age would start again when the clock is set back an hour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Age {
    ms: u32,
    read: Option<HostTime>,
}

impl Age {
    pub(super) fn at(&mut self, now: HostTime) -> u32 {
        let passed = self.read.map_or(0, |before| now.since(before).max(0));
        self.ms = self.ms.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
        self.read = Some(now);
        self.ms
    }
}

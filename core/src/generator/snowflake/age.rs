//! How long a holder has lived.

use crate::values::HostTime;

/// How long a holder has lived, by what its clock went forward between its asks. A difference of
/// two readings would make a holder whose clock was set back an hour a newborn for an hour.
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

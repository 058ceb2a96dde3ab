//! The row of a worker number.

use crate::values::{Code, Name, Refusal, StoreTime, Token};

/// How long a number is kept for a sticky owner that was not seen: 30 days.
pub(super) const STICKY_KEEP_MS: i64 = 30 * 86_400_000;

/// The row of a worker number; a number without a row is [`WorkerRow::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    /// The label of the last holder; empty if there was none.
    pub owner: Name,
    /// Whether the number is kept for the owner.
    pub sticky: bool,
    /// The request id of the lease's acquire.
    pub key: Option<Token>,
    /// The first tick of the lease.
    pub held_from: u64,
    /// The high-water mark: nothing at or above it was ever granted on this number.
    pub reserved_until: u64,
    /// When it was last granted or renewed (store's clock).
    pub granted: StoreTime,
}

impl Default for WorkerRow {
    fn default() -> WorkerRow {
        WorkerRow {
            owner: Name::EMPTY,
            sticky: false,
            key: None,
            held_from: 0,
            reserved_until: 0,
            granted: StoreTime::new(0),
        }
    }
}

impl WorkerRow {
    /// Refuses a row that no verb of this module writes: if its lease begins above all that was ever
    /// granted, it is unknown what was granted.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH`.
    pub(super) fn sound(&self) -> Result<(), Refusal<StoreTime>> {
        if self.held_from <= self.reserved_until {
            return Ok(());
        }
        Err(Code::SchemaMismatch.into())
    }

    /// The tick from which another lease may begin, apart from an owner that the number is kept for.
    pub fn rests_until(&self, floor: u64) -> u64 {
        self.reserved_until.max(floor)
    }

    /// Whether it is kept for another owner than `owner` at `now`: for 30 days since it was last granted
    /// or renewed.
    pub fn is_kept_from(&self, owner: &Name, now: StoreTime) -> bool {
        self.sticky && self.owner != *owner && now.since(self.granted) < STICKY_KEEP_MS
    }

    /// PROTOCOL R13: whether `owner` may have the number at `now`, in the tick `tick`.
    pub fn is_free(&self, floor: u64, owner: &Name, now: StoreTime, tick: u64) -> bool {
        self.rests_until(floor) <= tick && !self.is_kept_from(owner, now)
    }

    /// The row after an operator took the number from its holder, who may go on to the end in hand. The
    /// key is gone, so nothing is renewed; `reserved_until` stays, so nothing is granted twice.
    pub fn revoked(&self) -> WorkerRow {
        WorkerRow { owner: Name::EMPTY, sticky: false, key: None, ..*self }
    }
}

/// A worker number and its row.
pub type Worker = (u32, WorkerRow);

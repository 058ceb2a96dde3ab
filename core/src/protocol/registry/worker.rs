//! The row of a worker number.

use crate::values::{Code, Name, Refusal, StoreTime, Token};

/// A sticky owner that was not seen for this long keeps nothing: 30 days.
pub(super) const STICKY_KEEP_MS: i64 = 30 * 86_400_000;

/// The row of a worker number; a number without a row is [`WorkerRow::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    /// The label of who acquired it last; empty for nobody.
    pub owner: Name,
    /// Whether the owner keeps it.
    pub sticky: bool,
    /// The request id of the acquire whose lease this is.
    pub key: Option<Token>,
    /// The first tick of the lease.
    pub held_from: u64,
    /// The high-water mark: nothing at or above it was ever granted on this number.
    pub reserved_until: u64,
    /// When it was granted or renewed last (store's clock).
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
    /// Refuses a row that no verb of this module writes: of a lease that begins above all that was
    /// ever granted nobody knows what was.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH`.
    pub(super) fn sound(&self) -> Result<(), Refusal<StoreTime>> {
        if self.held_from <= self.reserved_until {
            return Ok(());
        }
        Err(Code::SchemaMismatch.into())
    }

    /// The tick from which time allows another lease; who keeps the number is another question.
    pub fn rests_until(&self, floor: u64) -> u64 {
        self.reserved_until.max(floor)
    }

    /// Whether another owner than `owner` keeps it at `now`: for 30 days since it was granted or
    /// renewed last.
    pub fn is_kept_from(&self, owner: &Name, now: StoreTime) -> bool {
        self.sticky && self.owner != *owner && now.since(self.granted) < STICKY_KEEP_MS
    }

    /// PROTOCOL R13: whether `owner` may have it at `now`, which is the tick `tick`.
    pub fn is_free(&self, floor: u64, owner: &Name, now: StoreTime, tick: u64) -> bool {
        self.rests_until(floor) <= tick && !self.is_kept_from(owner, now)
    }

    /// The row after an operator took it from its holder, who goes on to the end in hand: the key
    /// is gone, so nothing more is renewed, and `reserved_until` stays, so nothing is granted
    /// twice.
    pub fn revoked(&self) -> WorkerRow {
        WorkerRow { owner: Name::EMPTY, sticky: false, key: None, ..*self }
    }
}

/// A worker number and its row.
pub type Worker = (u32, WorkerRow);

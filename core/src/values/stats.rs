//! Counters: one set for all languages.

use crate::values::Code;

/// The counters of a generator, for a metrics page: all but the last five only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// IDs handed out through the generator's own verbs (a lock-free host adds its own).
    pub ids: u64,
    /// Asks that were handed to the host, those sent again included.
    pub asks: u64,
    /// Grants that were applied.
    pub grants: u64,
    /// Failures: refusals of the store, unusable answers, and missing answers.
    pub failures: u64,
    /// How often the line had nothing to give; repeated attempts at the same position count once.
    pub waits: u64,
    /// Positions that were granted and will never be handed out: dropped at the end, by a `forget`, or
    /// for a larger range. Positions that a snowflake's clock passes over do not count.
    pub dropped: u64,
    /// Ranges that did not begin where the previous one ended, as other holders lease, too.
    pub gaps: u64,
    /// Positions at hand, the next range included: how far an outage of the store is survived.
    pub in_hand: u64,
    /// Segments: the size of the last range. Snowflake: the length of the window in hand, in ms.
    pub step: u64,
    /// The store's clock minus the host's, in ms.
    pub offset_ms: i64,
    /// Why the last ask failed, until one succeeds.
    pub last_code: Option<Code>,
    /// Why the state file was abandoned: `STATE_INVALID`, and the next run asks its store. `None` while
    /// it is kept, or if there is none.
    pub state_code: Option<Code>,
}

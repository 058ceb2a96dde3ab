//! The adaptive step, as in Leaf: how many numbers to ask for.
//!
//! Whatever the load, the store is asked every 15 to 30 minutes, and an outage of about that length
//! is survived. The price is gaps: a holder that ends loses the numbers it had.

use crate::values::HostTime;

/// How the step follows consumption, between the tag's own step and its `max_step`.
///
/// | from grant to next ask, the last range lasted | the next one has |
/// |---|---|
/// | less than `short_ms` (15 minutes) | twice as many numbers |
/// | less than `long_ms` (30 minutes) | as many |
/// | longer | half as many |
///
/// The tag's own step comes from the store, or from [`SegmentConfig::step`](crate::SegmentConfig).
///
/// ```
/// use leafid_core::{HostTime, MemoryStore, Segment, SegmentConfig, StepPolicy, refill};
/// let policy = StepPolicy { max_growth: 4, ..StepPolicy::default() };
/// let config = SegmentConfig { policy, ..SegmentConfig::new("orders")? };
/// let mut orders = Segment::new(config, 7)?;
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let (mut now, mut steps) = (HostTime::new(0), Vec::new());
/// for lasts_minutes in [1, 1, 1, 20, 40, 40] {
///     refill(&mut orders, &mut store, || now, || [steps.len() as u8; 16])?;
///     steps.push(orders.stats().step);
///     while orders.next(now).is_ok() {}
///     now = now.plus(lasts_minutes * 60_000);
/// }
/// assert_eq!(steps, [1_000, 2_000, 4_000, 4_000, 4_000, 2_000]);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPolicy {
    /// After a range that lasted less, the step doubles. 15 minutes by default.
    pub short_ms: u32,
    /// After a range that lasted at least as long, the step halves. 30 minutes by default.
    pub long_ms: u32,
    /// The step grows to at most this multiple of the tag's own; 0 counts as 1. By default only the
    /// tag's `max_step` limits it; 16 suits hosts that live for seconds, and so often lose their rest.
    pub max_growth: u32,
}

impl Default for StepPolicy {
    fn default() -> StepPolicy {
        StepPolicy { short_ms: 15 * 60_000, long_ms: 30 * 60_000, max_growth: u32::MAX }
    }
}

impl StepPolicy {
    /// The step after a range of `last` numbers that was granted at `granted`, for an ask at `now` (host's
    /// clock), of a tag with the step `own` and the limit `max_step`.
    pub(crate) fn next(
        &self,
        own: u32,
        max_step: u32,
        last: u32,
        granted: HostTime,
        now: HostTime,
    ) -> u32 {
        let lasted = now.since(granted);
        let next = if lasted < i64::from(self.short_ms) {
            last.saturating_mul(2)
        } else if lasted < i64::from(self.long_ms) {
            last
        } else {
            last / 2
        };
        let cap = own.saturating_mul(self.max_growth.max(1)).min(max_step).max(1);
        next.clamp(own.clamp(1, cap), cap)
    }
}

//! The row of a namespace.

use super::{DEFAULT_MAX_WINDOW_MS, MAX_WINDOW_CAP_MS};
use crate::protocol::WindowGrant;
use crate::values::{Code, Layout, Range, Refusal, StoreTime, Token};

/// The shortest window, in ms; it also has at least two ticks.
pub const SHORTEST_WINDOW_MS: u32 = 1_000;

/// The fields of a namespace's row that leases need.
///
/// ```
/// use leafid_core::registry::Namespace;
/// use leafid_core::{Code, Layout, Range};
/// // Half of the numbers: another store may hand out the other half, without asking this one.
/// let half = Namespace::create(Layout::LEAF, Some(Range::new(0, 512)), Some(60_000))?;
/// assert!(half.hands_out(511) && !half.hands_out(512));
/// let beyond = Namespace::create(Layout::LEAF, Some(Range::new(0, 1_025)), None);
/// assert_eq!(beyond.unwrap_err().code, Code::WorkerInvalid, "LEAF has 1,024");
/// let blink = Namespace::create(Layout::LEAF, None, Some(999));
/// assert_eq!(blink.unwrap_err().code, Code::RangeInvalid, "a second to a day");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// The layout of all its IDs.
    pub layout: Layout,
    /// The longest window, in ms.
    pub max_window_ms: u32,
    /// The worker numbers that may be handed out. A number that is taken out is free for use elsewhere
    /// once its window is over: clear its row then ([`WorkerRow::revoked`](super::WorkerRow)), or its
    /// former holder could renew once the number is back.
    pub workers: Range,
    /// No grant begins below this tick: set above all that a store which went back may have granted.
    pub floor: u64,
}

/// How to create or change a namespace; `None` is the default, or keeps the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamespaceSpec {
    /// The layout: cannot change after the first window.
    pub layout: Option<Layout>,
    /// The worker numbers that may be handed out.
    pub workers: Option<Range>,
    /// The longest window, in ms: cannot change after the first window.
    pub max_window_ms: Option<u32>,
}

impl Namespace {
    /// Creates a namespace; `None` for all worker numbers of the layout, and for windows of ten minutes.
    ///
    /// # Errors
    /// `WORKER_INVALID` for numbers outside the layout or none at all, `RANGE_INVALID` for a
    /// window below a second or above a day.
    pub fn create(
        layout: Layout,
        workers: Option<Range>,
        max_window_ms: Option<u32>,
    ) -> Result<Namespace, Refusal> {
        let workers = workers.unwrap_or(Range::new(0, layout.workers()));
        if workers.is_empty() || workers.end > layout.workers() {
            return Err(Code::WorkerInvalid.into());
        }
        let max_window_ms = max_window_ms.unwrap_or(DEFAULT_MAX_WINDOW_MS);
        if !(SHORTEST_WINDOW_MS..=MAX_WINDOW_CAP_MS).contains(&max_window_ms) {
            return Err(Code::RangeInvalid.into());
        }
        Ok(Namespace { layout, max_window_ms, workers, floor: 0 })
    }

    /// Whether a worker number may be handed out.
    pub fn hands_out(&self, worker: u32) -> bool {
        self.workers.contains(worker.into())
    }

    pub(super) fn window_ticks(&self, length_ms: Option<u32>) -> u64 {
        let length = length_ms.unwrap_or(self.max_window_ms).max(SHORTEST_WINDOW_MS);
        self.layout.ticks(length.min(self.max_window_ms).into()).max(2)
    }

    pub(super) fn end(&self, now: u64, length: u64) -> u64 {
        now.saturating_add(length).min(self.layout.last_end())
    }

    pub(super) fn answer(
        &self,
        store: Token,
        request: Token,
        worker: u32,
        ticks: Range,
        now: StoreTime,
    ) -> WindowGrant {
        let Namespace { layout, max_window_ms, .. } = *self;
        WindowGrant { request, store, worker, ticks, layout, now, max_window_ms }
    }
}

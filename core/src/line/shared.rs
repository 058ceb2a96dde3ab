//! The lock-free face of the line: the same steps as the `&mut` face, on atomics.

use crate::line::{CLOSED, Inside, Line, Run, Shape, Stop};
use crate::values::{HostTime, Offset, Range, StoreTime};
#[cfg(not(loom))]
use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
#[cfg(loom)]
use loom::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use core::ops::Deref;

/// A line that many threads draw from without a lock.
///
/// Drawing needs a pointer to it and the generator's [`Ids`](crate::Ids); asks, grants and
/// retiring stay with the generator, behind one mutex of the host:
///
/// ```
/// use leafid_core::{Ids, Line, HostTime, Segment, SegmentConfig, SharedLine};
/// let line = SharedLine::new();
/// let orders = Segment::with_line(SegmentConfig::new("orders")?, 7, &line)?;
/// let draw = orders.ids().unwrap();
/// // Any thread, no lock; nothing was leased yet:
/// let mut shared = &line;
/// assert!(draw.run(&mut shared, HostTime::new(0), 1).is_err());
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Debug)]
pub struct SharedLine {
    cursor: AtomicU64,
    bound: AtomicU64,
    offset: AtomicI64,
    not_before: AtomicI64,
}

impl SharedLine {
    /// A closed line.
    #[cfg(not(loom))]
    pub const fn new() -> SharedLine {
        SharedLine {
            cursor: AtomicU64::new(CLOSED),
            bound: AtomicU64::new(0),
            offset: AtomicI64::new(0),
            not_before: AtomicI64::new(i64::MIN),
        }
    }

    /// A closed line.
    #[cfg(loom)]
    pub fn new() -> SharedLine {
        SharedLine {
            cursor: AtomicU64::new(CLOSED),
            bound: AtomicU64::new(0),
            offset: AtomicI64::new(0),
            not_before: AtomicI64::new(i64::MIN),
        }
    }

    /// Takes up to `n` positions inside `limits` (floor and ceiling). A refusal changes nothing.
    ///
    /// # Errors
    /// [`Stop`]: closed, dry, or above the ceiling.
    #[inline]
    pub fn take(&self, shape: Shape, limits: Range, n: u64) -> Result<Run, Stop> {
        Line::take(&mut { self }, shape, limits, n)
    }

    /// Where the line stands, open or closed: what a copied memory image (a forked child) may
    /// read without touching a lock, to go on above it in a generator of its own
    /// ([`Generator::resume`](crate::Generator::resume)).
    pub fn stands_at(&self) -> u64 {
        Line::stands_at(&self)
    }
}

impl Default for SharedLine {
    fn default() -> SharedLine {
        SharedLine::new()
    }
}

impl<P: Deref<Target = SharedLine>> Line for P {
    #[inline]
    fn cursor(&self) -> u64 {
        self.cursor.load(Ordering::Acquire)
    }

    #[inline]
    fn bound(&self) -> u64 {
        self.bound.load(Ordering::Acquire)
    }

    #[inline]
    fn compare_swap(&mut self, _: Inside, from: u64, to: u64) -> Result<(), u64> {
        self.cursor.compare_exchange_weak(from, to, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }

    fn set_closed(&mut self, _: Inside) {
        self.cursor.fetch_or(CLOSED, Ordering::AcqRel);
    }

    fn put_cursor(&mut self, _: Inside, to: u64) {
        self.cursor.store(to, Ordering::Release);
    }

    fn put_bound(&mut self, _: Inside, to: u64) {
        self.bound.store(to, Ordering::Release);
    }

    /// Needs a host's clock that does not go back by itself, as a monotonic one does not: only
    /// the moment of a change of the offset is kept, not every reading.
    #[inline]
    fn now(&mut self, host: HostTime) -> StoreTime {
        let now = Line::offset(self).to_store(host);
        now.max(StoreTime::new(self.not_before.load(Ordering::Relaxed)))
    }

    fn offset(&self) -> Offset {
        Offset::new(self.offset.load(Ordering::Relaxed))
    }

    fn put_offset(&mut self, _: Inside, offset: Offset, not_before: StoreTime) {
        self.not_before.store(not_before.get(), Ordering::Relaxed);
        self.offset.store(offset.get(), Ordering::Relaxed);
    }
}

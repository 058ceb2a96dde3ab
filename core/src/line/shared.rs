//! The lock-free line: the same steps as the `&mut` one, on atomics.
//!
//! The models in `tests/seeded` search every interleaving of two draws with one change of the line,
//! and find the bugs that are seeded there.

use crate::line::{CLOSED, Inside, Line, Run, Shape, Stop};
use crate::values::{HostTime, Offset, Range, StoreTime};
use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use core::ops::Deref;

/// A line that many threads draw from without a lock: one atomic swap per call, however many
/// positions the call takes.
///
/// Drawing needs a pointer to the line and the generator's [`Ids`](crate::Ids), a small `Copy` value;
/// asks, grants and retiring stay with the generator, behind one mutex of the host:
///
/// ```
/// use leafid_core::{
///     HostTime, Ids, MemoryStore, Refusal, Segment, SegmentConfig, SharedLine, refill,
/// };
/// use std::{collections::BTreeSet, sync::Arc, thread};
///
/// let line = Arc::new(SharedLine::new());
/// let mut orders = Segment::with_line(SegmentConfig::new("orders")?, 7, line.clone())?;
/// let mut store: MemoryStore = MemoryStore::new([1; 16]);
/// let now = HostTime::new(0);
/// refill(&mut orders, &mut store, || now, || [2; 16])?;
///
/// let mut draw = orders.ids().unwrap(); // of a snowflake: `None` before the first window
/// let threads = [(); 4].map(|()| {
///     let mut line = line.clone();
///     thread::spawn(move || {
///         let one = || {
///             let run = draw.run(&mut line, now, 1)?;
///             Ok(draw.id(run.positions.start, run.worker))
///         };
///         std::iter::repeat_with(one).take(200).collect::<Result<Vec<u64>, Refusal>>()
///     })
/// });
/// let mut drawn = BTreeSet::new();
/// for thread in threads {
///     let ids = thread.join().unwrap()?;
///     assert!(ids.is_sorted(), "each thread sees them ascend");
///     drawn.extend(ids);
/// }
/// assert_eq!(drawn, (1..=800).collect(), "and none of them twice");
/// assert!(orders.wants(now), "time to ask ahead: whoever drew looks at `poll_from`");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
///
/// Snowflakes need a monotonic clock here: after a step back they wait, `CLOCK_BEHIND`, until the
/// clock has caught up ([`OwnLine`](crate::OwnLine) remembers the largest reading). `retire` and
/// `forget` close the line in one step, after which a thread that stalled in a draw gets nothing.
#[derive(Debug)]
pub struct SharedLine {
    cursor: AtomicU64,
    bound: AtomicU64,
    offset: AtomicI64,
    /// The store's time is never below this. It is written with the offset, not with each draw, because
    /// a word that every thread writes makes threads wait for each other.
    not_before: AtomicI64,
}

impl SharedLine {
    /// Makes a closed line, also for a `static`: it gives nothing until a generator opens it on a grant.
    pub const fn new() -> SharedLine {
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

    /// Where the line stands, open or closed. A copied memory image (a forked child) may read it without
    /// touching a lock, to go on above it in a generator of its own
    /// ([`Generator::resume`](crate::Generator::resume)). The child must not draw from the copied line:
    /// its range is the parent's.
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

    /// Needs a monotonic host clock: only the time of a change of the offset is kept, not every reading.
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

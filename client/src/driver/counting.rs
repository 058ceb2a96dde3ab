//! How draws are counted, by the host's choice.

use std::sync::atomic::{AtomicU64, Ordering};

/// How IDs that are drawn without the lock are counted for [`Holding::stats`](crate::driver::Holding::stats).
pub trait Counting {
    fn count(drawn: &AtomicU64);
}

/// Not at all.
pub struct Uncounted;
/// By callers of whom one draws at a time, such as those with an interpreter's lock: a load and a store, since an
/// atomic addition would cost as much as drawing.
pub struct InTurn;
/// By any number of callers at once.
pub struct SideBySide;

impl Counting for Uncounted {
    #[inline]
    fn count(_: &AtomicU64) {}
}

impl Counting for InTurn {
    #[inline]
    fn count(drawn: &AtomicU64) {
        drawn.store(drawn.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl Counting for SideBySide {
    #[inline]
    fn count(drawn: &AtomicU64) {
        drawn.fetch_add(1, Ordering::Relaxed);
    }
}

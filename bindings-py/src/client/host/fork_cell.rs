//! A replaceable `Arc`. A forked child puts its own value in place of the inherited one and leaves that
//! untouched: nothing inherited is unlocked, shut down or freed.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A cell with one `Arc`.
pub struct ForkCell<T> {
    /// From `Arc::into_raw`; only `give_back` releases its count.
    held: AtomicPtr<T>,
    owns: PhantomData<Arc<T>>,
}

#[expect(unsafe_code, reason = "a lock-free read of a pointer that only a forked child replaces")]
impl<T> ForkCell<T> {
    pub fn new(value: Arc<T>) -> ForkCell<T> {
        ForkCell { held: AtomicPtr::new(Arc::into_raw(value).cast_mut()), owns: PhantomData }
    }

    #[inline]
    pub fn get(&self) -> &T {
        // SAFETY: every value ever held lives until `give_back`, which borrows the cell exclusively.
        unsafe { &*self.held.load(Ordering::Acquire) }
    }

    /// Another `Arc` to the value.
    pub fn share(&self) -> Arc<T> {
        let held = self.held.load(Ordering::Acquire);
        // SAFETY: `held` comes from `Arc::into_raw` and its count is at least the cell's own.
        unsafe {
            Arc::increment_strong_count(held);
            Arc::from_raw(held)
        }
    }

    /// Replaces the value. The old one is never freed: other threads may be reading it, and a forked
    /// child must not touch it.
    pub fn replace(&self, value: Arc<T>) {
        self.held.store(Arc::into_raw(value).cast_mut(), Ordering::Release);
    }

    /// Releases the cell's own count, and returns the value.
    pub fn give_back(&mut self) -> Arc<T> {
        let last = self.share();
        // SAFETY: the count that `new` or `replace` took is released once: `last` keeps the value, and
        // `&mut self` excludes readers of the cell.
        unsafe { Arc::decrement_strong_count(*self.held.get_mut()) };
        last
    }
}

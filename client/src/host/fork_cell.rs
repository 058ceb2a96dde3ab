//! A replaceable `Arc`. A forked child puts its own value in place of the inherited one and leaves that
//! untouched: nothing inherited is unlocked, shut down or freed.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::fork::{self, Generation};

/// What knows the process in which it was made.
pub trait Made {
    fn made_in(&self) -> Generation;
}

/// A cell with one `Arc`.
pub struct ForkCell<T: Made> {
    /// From `Arc::into_raw`; only `drop` releases its count.
    held: AtomicPtr<T>,
    owns: PhantomData<Arc<T>>,
}

#[expect(unsafe_code, reason = "a lock-free read of a pointer that only a forked child replaces")]
impl<T: Made> ForkCell<T> {
    pub fn new(value: Arc<T>) -> ForkCell<T> {
        ForkCell { held: AtomicPtr::new(Arc::into_raw(value).cast_mut()), owns: PhantomData }
    }

    #[inline]
    pub fn get(&self) -> &T {
        // SAFETY: every value ever held lives until `drop`, which borrows the cell exclusively.
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

    /// Replaces this value, unless another thread has. The old one is never freed: other threads may be
    /// reading it, and a forked child must not touch it.
    pub fn replace(&self, held: &T, value: Arc<T>) {
        let (held, new) = (ptr::from_ref(held).cast_mut(), Arc::into_raw(value).cast_mut());
        if self.held.compare_exchange(held, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: the count of `new` was not handed over.
            drop(unsafe { Arc::from_raw(new) });
        }
    }
}

#[expect(unsafe_code, reason = "releases what the cell holds")]
impl<T: Made> Drop for ForkCell<T> {
    fn drop(&mut self) {
        if fork::is_current(self.get().made_in()) {
            // SAFETY: the count that `new` or `replace` took is released once, and `&mut self` excludes readers.
            unsafe { Arc::decrement_strong_count(*self.held.get_mut()) };
        }
    }
}

impl<T> Made for (Generation, T) {
    fn made_in(&self) -> Generation {
        self.0
    }
}

/// A lock for a `static`. A forked child gets a fresh one: a thread that it does not have may hold the
/// inherited one for ever.
pub struct ForkLock<T>(OnceLock<ForkCell<(Generation, Mutex<T>)>>);

impl<T: Default> ForkLock<T> {
    #[expect(clippy::new_without_default, reason = "for a `static`")]
    pub const fn new() -> ForkLock<T> {
        ForkLock(OnceLock::new())
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        let fresh = || Arc::new((fork::current(), Mutex::default()));
        let cell = self.0.get_or_init(|| ForkCell::new(fresh()));
        let held = cell.get();
        if !fork::is_current(held.0) {
            cell.replace(held, fresh());
        }
        cell.get().1.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

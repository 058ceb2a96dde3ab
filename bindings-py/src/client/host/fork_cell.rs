//! A pointer to what a generator works with now. A forked child puts a new one in its place and
//! leaves the old one as it is: nothing inherited is unlocked, shut down or freed.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Holds one `Arc`.
pub struct ForkCell<T> {
    /// Comes from `Arc::into_raw`, and its count is never given back but by `give_back`.
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
        // SAFETY: what was ever held lives until `give_back`, which takes the cell itself.
        unsafe { &*self.held.load(Ordering::Acquire) }
    }

    /// Another handle to what is held.
    pub fn share(&self) -> Arc<T> {
        let held = self.held.load(Ordering::Acquire);
        // SAFETY: `held` comes from `Arc::into_raw` and its count is at least the cell's own.
        unsafe {
            Arc::increment_strong_count(held);
            Arc::from_raw(held)
        }
    }

    /// Holds this from now on. The old one is never freed: others may be reading it, and in a
    /// forked child it is not ours to touch.
    pub fn replace(&self, value: Arc<T>) {
        self.held.store(Arc::into_raw(value).cast_mut(), Ordering::Release);
    }

    /// The handle that the cell has; what it held is freed with the last one.
    pub fn give_back(&mut self) -> Arc<T> {
        let last = self.share();
        // SAFETY: the count that `new` or `replace` took is given back once: `last` stays, and
        // `&mut self` says that nobody reads the cell.
        unsafe { Arc::decrement_strong_count(*self.held.get_mut()) };
        last
    }
}

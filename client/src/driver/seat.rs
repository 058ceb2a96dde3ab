//! Seats: tasks of async functions, and event loops, that wait for one generator.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use crate::driver::Holding;

/// The waiting tasks.
#[derive(Default)]
pub struct Seats {
    /// The number of seats, readable without the lock.
    taken: AtomicUsize,
    table: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    tasks: BTreeMap<u64, Waker>,
    next: u64,
}

/// A task's place: it is woken with each answer, until this is dropped.
pub struct Seat {
    holding: Arc<Holding>,
    key: u64,
}

impl Seats {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a seat is taken.
    #[inline]
    pub fn are_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > 0
    }

    /// Wakes all tasks.
    pub(super) fn wake(&self) {
        let tasks = std::mem::take(&mut self.lock().tasks);
        tasks.into_values().for_each(Waker::wake);
    }
}

impl Holding {
    /// Gives a seat.
    pub fn sit(self: &Arc<Self>) -> Seat {
        self.seats.taken.fetch_add(1, Ordering::AcqRel);
        let mut taken = self.seats.lock();
        taken.next += 1;
        Seat { holding: Arc::clone(self), key: taken.next }
    }
}

impl Seat {
    /// Has this task woken with the next answer.
    pub fn wait(&self, task: &Waker) {
        // Dropped without the lock: it may be the last that holds a task, and with it another seat.
        let _before = self.holding.seats.lock().tasks.insert(self.key, task.clone());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // A forked child leaves the locks of an inherited holding alone.
        if self.holding.is_current() {
            let _task = self.holding.seats.lock().tasks.remove(&self.key);
            self.holding.seats.taken.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

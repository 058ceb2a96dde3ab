//! Seats: tasks of async functions that wait for one generator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use crate::driver::Holding;

/// The waiting tasks.
#[derive(Default)]
pub struct Seats(Mutex<Taken>);

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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all tasks.
    pub fn wake(&self) {
        let tasks = std::mem::take(&mut self.lock().tasks);
        tasks.into_values().for_each(Waker::wake);
    }
}

impl Holding {
    /// Gives a seat.
    pub fn sit(self: &Arc<Self>) -> Seat {
        let mut taken = self.seats.lock();
        taken.next += 1;
        Seat { holding: Arc::clone(self), key: taken.next }
    }
}

impl Seat {
    /// Has this task woken with the next answer.
    pub fn wait(&self, task: &Waker) {
        self.holding.seats.lock().tasks.insert(self.key, task.clone());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // A forked child leaves the locks of an inherited holding alone.
        if self.holding.is_current() {
            self.holding.seats.lock().tasks.remove(&self.key);
        }
    }
}

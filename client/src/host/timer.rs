//! Timers for async functions: no runtime's own, so that any runs them. One thread for all.

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;
use std::thread::Thread;
use std::time::{Duration, Instant};

use super::fork_cell::ForkLock;
use super::thread;

/// How often the thread looks while no timer is set.
const IDLE: Duration = Duration::from_secs(3_600);

#[derive(Default)]
struct Timers {
    set: BTreeMap<(Instant, u64), Waker>,
    thread: Option<Thread>,
}

static TIMERS: ForkLock<Timers> = ForkLock::new();

/// Wakes a task at a time; no longer once this is dropped.
#[derive(Default)]
pub struct Alarm(Option<(Instant, u64)>);

impl Alarm {
    /// Sets the time, in place of an earlier one.
    pub fn set(&mut self, at: Instant, task: &Waker) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.stop();
        let key = (at, NEXT.fetch_add(1, Ordering::Relaxed));
        let mut timers = TIMERS.lock();
        timers.set.insert(key, task.clone());
        self.0 = Some(key);
        match &timers.thread {
            Some(thread) => thread.unpark(),
            None => {
                // Without a thread the next answer of the store wakes the task.
                let run = || while catch_unwind(run).is_err() {}; // a waker may panic
                timers.thread = thread::spawn("leafid timer", run).ok();
            }
        }
    }

    fn stop(&mut self) {
        if let Some(key) = self.0.take() {
            // Dropped without the lock: it may be the last that holds a task, and with it another alarm.
            let _task = TIMERS.lock().set.remove(&key);
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run() {
    loop {
        let now = Instant::now();
        let mut timers = TIMERS.lock();
        let later = timers.set.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut timers.set, later);
        let next = timers.set.keys().next().map(|(at, _)| *at);
        drop(timers);
        due.into_values().for_each(Waker::wake);
        std::thread::park_timeout(next.map_or(IDLE, |at| at.saturating_duration_since(now)));
    }
}

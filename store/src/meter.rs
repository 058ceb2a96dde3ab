//! Counters that a running server keeps of itself: small, of fixed size, and written without a lock
//! that anybody waits for. `seen` reads them.
//!
//! They are our own, and not a metrics crate's: most of what is shown is read from the store when it
//! is asked for, so that a registry of metrics would hold little; names of tags have to be bounded,
//! which none does; and a request costs a handful of relaxed additions here, whoever else counts.

use std::sync::atomic::{AtomicU64, Ordering};

use self::histogram::Histogram;

pub mod histogram;
pub mod leases;

/// A number.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn one(&self) {
        self.more(1);
    }

    /// Adds `by`.
    pub fn more(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// It is this now.
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// What is counted of a store's turns. One thread writes it.
#[derive(Debug)]
pub struct Turns {
    /// How long the back end took to begin a turn, in µs: another program may have it locked.
    pub begin: Histogram,
    /// How long it took to read, each time.
    pub read: Histogram,
    /// How long it took to write and make durable.
    pub write: Histogram,
    /// How many requests were decided in a turn.
    pub requests: Histogram,
    /// How long a request waited until it was decided for the first time.
    pub waited: Histogram,
    /// Requests whose rows others wrote first.
    pub conflicts: Counter,
    /// Requests whose caller was gone when their turn came.
    pub abandoned: Counter,
    /// Requests that waited longer than callers do.
    pub late: Counter,
    /// Requests for worker numbers that wait.
    pub acquires: Counter,
    /// Other requests that wait.
    pub others: Counter,
    /// Requests that wait for another try.
    pub again: Counter,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns {
            begin: Histogram::times(),
            read: Histogram::times(),
            write: Histogram::times(),
            requests: Histogram::sizes(),
            waited: Histogram::times(),
            conflicts: Counter::default(),
            abandoned: Counter::default(),
            late: Counter::default(),
            acquires: Counter::default(),
            others: Counter::default(),
            again: Counter::default(),
        }
    }
}

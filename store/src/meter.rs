//! Counters of a running server: small, of fixed size, and updated without waiting for a lock.
//!
//! They are our own instead of a metrics crate's: most metrics are read from the store on demand, so a
//! crate would hold few; the number of counted tags must be bounded, which no crate does; and a request
//! costs only a few relaxed additions here.

use std::sync::atomic::{AtomicU64, Ordering};

use self::histogram::Histogram;

pub mod histogram;
pub mod leases;

/// A counter or a gauge.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn one(&self) {
        self.more(1);
    }

    /// Adds `by`.
    pub fn more(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    /// The value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the value.
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// The counts of a store's turns, written by one thread.
#[derive(Debug)]
pub struct Turns {
    /// How long the back end took to begin a turn, in µs; another program may have it locked.
    pub begin: Histogram,
    /// How long each read took.
    pub read: Histogram,
    /// How long each durable write took.
    pub write: Histogram,
    /// How many requests were decided in a turn.
    pub requests: Histogram,
    /// How long requests waited until they were first decided.
    pub waited: Histogram,
    /// How long requests waited for the acks of the other servers.
    pub acks: Histogram,
    /// Requests that lost a race: others wrote their rows first.
    pub conflicts: Counter,
    /// Requests with a caller that was gone when their turn came.
    pub abandoned: Counter,
    /// Requests that waited longer than callers wait.
    pub late: Counter,
    /// Waiting acquires.
    pub acquires: Counter,
    /// Other waiting requests.
    pub others: Counter,
    /// Requests that wait for a retry.
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
            acks: Histogram::times(),
            conflicts: Counter::default(),
            abandoned: Counter::default(),
            late: Counter::default(),
            acquires: Counter::default(),
            others: Counter::default(),
            again: Counter::default(),
        }
    }
}

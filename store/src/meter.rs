//! Counters that a running server keeps of itself: small, of fixed size, and written without a lock
//! that anybody waits for. `seen` reads them.
//!
//! They are our own, and not a metrics crate's: most of what is shown is read from the store when it
//! is asked for, so that a registry of metrics would hold little; names of tags have to be bounded,
//! which none does; and a request costs a handful of relaxed additions here, whoever else counts.

pub mod histogram;
pub mod leases;
pub mod turns;

use std::sync::atomic::{AtomicU64, Ordering};

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

//! What the thread of a store does: how long it waits for its back end, how much it does at once, and
//! what waits for it.

use super::Counter;
use super::histogram::Histogram;

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

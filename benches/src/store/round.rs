//! What one round of requests came to.

use std::time::Duration;

/// What one round came to.
pub struct Round {
    /// Requests per second.
    pub per_second: f64,
    /// The server's CPU time for one, in µs.
    pub cpu_us: f64,
    /// How long half of the requests took at most, in ms.
    pub p50_ms: f64,
    /// How long 99 of 100 took at most, in ms.
    pub p99_ms: f64,
    /// How long 999 of 1,000 took at most, in ms.
    pub p999_ms: f64,
}

impl Round {
    /// Of requests that took this long each, in a round that took so long and in which the server
    /// spent this much CPU time.
    pub fn of(mut waits: Vec<Duration>, took: Duration, spent: Duration) -> Self {
        waits.sort_unstable();
        let count = waits.len() as f64;
        let at = |part: f64| {
            let wait = waits.get((count * part) as usize).or(waits.last());
            wait.map_or(0.0, Duration::as_secs_f64) * 1_000.0
        };
        Self {
            per_second: count / took.as_secs_f64(),
            cpu_us: spent.as_secs_f64() * 1e6 / count,
            p50_ms: at(0.5),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
        }
    }
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

//! Rounds in turns, so that a slow moment of the machine affects every kind of request alike.

use std::time::Duration;

use crate::{Outcome, median};

const ROUNDS: usize = 5;

/// The figures of one round of requests.
pub struct Round {
    /// Answered requests per second.
    pub per_second: f64,
    /// The server's CPU time per request, in µs.
    pub cpu_us: f64,
    /// The median latency, in ms.
    pub p50_ms: f64,
    /// The latency of the 99th percentile, in ms.
    pub p99_ms: f64,
    /// The latency of the 99.9th percentile, in ms.
    pub p999_ms: f64,
}

impl Round {
    /// Sums up requests by their latencies, the round's length, and the server's CPU time in it.
    pub fn of(mut waits: Vec<Duration>, took: Duration, spent: Duration) -> Round {
        waits.sort_unstable();
        let count = waits.len() as f64;
        let at = |part: f64| {
            let wait = waits.get((count * part) as usize).or(waits.last());
            wait.map_or(0.0, Duration::as_secs_f64) * 1_000.0
        };
        Round {
            per_second: count / took.as_secs_f64(),
            cpu_us: spent.as_secs_f64() * 1e6 / count,
            p50_ms: at(0.5),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
        }
    }
}

/// Runs every kind in turns; returns the rounds of each, without the first, which warms up.
pub fn in_turns<K>(
    kinds: &[K],
    mut run: impl FnMut(&K) -> Outcome<Round>,
) -> Outcome<Vec<Vec<Round>>> {
    let mut rounds: Vec<Vec<Round>> = kinds.iter().map(|_| Vec::new()).collect();
    for turn in 0..=ROUNDS {
        for (kind, rounds) in kinds.iter().zip(&mut rounds) {
            let round = run(kind)?;
            if turn > 0 {
                rounds.push(round);
            }
        }
    }
    Ok(rounds)
}

fn of(rounds: &[Round], field: fn(&Round) -> f64) -> f64 {
    median(rounds.iter().map(field).collect())
}

fn ratio(own: &[Round], floor: &[Round], field: fn(&Round) -> f64) -> f64 {
    median(own.iter().zip(floor).map(|(own, floor)| field(own) / field(floor)).collect())
}

/// Prints the head of a table of [`row`]s, with the floor's name.
pub fn head(title: &str, floor: &str) {
    println!(
        "\n| {title} | per second | × {floor} | CPU µs | × {floor} | p50 ms | p99 ms | p999 ms |\n\
         |---|---|---|---|---|---|---|---|"
    );
}

/// Prints one row of such a table.
pub fn row(name: &str, own: &[Round], floor: &[Round]) {
    println!(
        "| {name} | {:.0} | {:.2} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} |",
        of(own, |round| round.per_second),
        ratio(own, floor, |round| round.per_second),
        of(own, |round| round.cpu_us),
        ratio(own, floor, |round| round.cpu_us),
        of(own, |round| round.p50_ms),
        of(own, |round| round.p99_ms),
        of(own, |round| round.p999_ms),
    );
}

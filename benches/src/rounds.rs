//! Rounds in turns, so that a slow moment of the machine meets every kind of request alike.

use std::time::Duration;

use crate::{Outcome, median};

const ROUNDS: usize = 5;

/// What one round of requests came to.
pub struct Round {
    /// Those that were answered, per second.
    pub per_second: f64,
    /// The server's CPU time for one of them, in µs.
    pub cpu_us: f64,
    /// How long half of them took at most, in ms.
    pub p50_ms: f64,
    /// How long 99 of 100 took at most, in ms.
    pub p99_ms: f64,
    /// How long 999 of 1,000 took at most, in ms.
    pub p999_ms: f64,
}

impl Round {
    /// Of requests that took this long each, in a round that took so long and in which the server
    /// spent this much CPU time.
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

/// Runs every kind in turns; the rounds of each. The first one warms up, and is not counted.
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

/// The head of a table whose rows are [`row`]s, beside a floor of this name.
pub fn head(title: &str, floor: &str) {
    println!(
        "\n| {title} | per second | × {floor} | CPU µs | × {floor} | p50 ms | p99 ms | p999 ms |\n\
         |---|---|---|---|---|---|---|---|"
    );
}

/// One row of such a table.
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

//! Rounds in turns, so that a slow moment of the machine meets every kind of request alike.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::round::{Round, median};
use crate::work::Work;
use crate::{Outcome, cpu, side_by_side};

const ROUNDS: usize = 5;

/// A server that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// The process whose time is counted.
    pub process: u32,
}

/// What one kind of request came to: the median of its rounds.
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Requests per second.
    pub per_second: f64,
    /// The server's CPU time for one, in µs.
    pub cpu_us: f64,
    /// How long half of the clients waited at most, in ms.
    pub p50_ms: f64,
    /// How long 99 of 100 waited at most, in ms.
    pub p99_ms: f64,
    /// How long 999 of 1,000 waited at most, in ms.
    pub p999_ms: f64,
    rounds_us: Vec<f64>,
}

impl Figure {
    /// CPU per request as a multiple of another's: the median of the rounds' own ratios.
    pub fn ratio_to(&self, floor: &Figure) -> f64 {
        let ratios = self.rounds_us.iter().zip(&floor.rounds_us).map(|(own, floor)| own / floor);
        median(ratios.collect())
    }
}

/// Runs every kind in turns: its server, how many clients, and what they ask for.
pub fn in_turns(all: &[(Server, usize, Work)], length: Duration) -> Outcome<Vec<Figure>> {
    let mut rounds: Vec<Vec<Round>> = all.iter().map(|_| Vec::new()).collect();
    // The first round warms up, and is not counted.
    for turn in 0..=ROUNDS {
        for ((server, clients, work), rounds) in all.iter().zip(&mut rounds) {
            let round = round(*server, *clients, *work, length)?;
            if turn > 0 {
                rounds.push(round);
            }
        }
    }
    let figures = all.iter().zip(&rounds).map(|((_, _, work), rounds)| {
        let of = |field: fn(&Round) -> f64| median(rounds.iter().map(field).collect());
        Figure {
            name: work.name(),
            per_second: of(|round| round.per_second),
            cpu_us: of(|round| round.cpu_us),
            p50_ms: of(|round| round.p50_ms),
            p99_ms: of(|round| round.p99_ms),
            p999_ms: of(|round| round.p999_ms),
            rounds_us: rounds.iter().map(|round| round.cpu_us).collect(),
        }
    });
    Ok(figures.collect())
}

fn round(server: Server, clients: usize, work: Work, length: Duration) -> Outcome<Round> {
    let before = cpu::time_of(server.process)?;
    let begin = Instant::now();
    let waits = side_by_side(clients, |_| {
        let mut client = Client::connect(server.address)?;
        let mut waits = Vec::new();
        while begin.elapsed() < length {
            waits.push(work.call(&mut client)?);
        }
        Ok(waits)
    })?;
    let (took, spent) = (begin.elapsed(), cpu::time_of(server.process)?);
    let spent = spent.saturating_sub(before);
    let waits = waits.into_iter().flatten().collect();
    Ok(Round::of(waits, took, spent))
}

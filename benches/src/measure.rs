//! Measures several pieces of work in turns, so that a slow moment of the machine affects all alike, and
//! prints the median of each, and its ratio to the first: the floor.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::median;

/// A piece of work.
pub struct Work<'a> {
    name: &'a str,
    ids: u64,
    run: Box<dyn FnMut() -> u64 + 'a>,
}

/// Makes a piece of work: one call makes `ids` IDs, and its result is kept from the optimiser.
pub fn work<'a>(name: &'a str, ids: u64, run: impl FnMut() -> u64 + 'a) -> Work<'a> {
    Work { name, ids, run: Box::new(run) }
}

const ROUNDS: usize = 31;
const ROUND: Duration = Duration::from_millis(4);

/// Runs every piece in turns, 31 rounds of about 4 ms each, and prints a table.
pub fn table(title: &str, mut works: Vec<Work<'_>>) {
    let calls: Vec<u64> = works.iter_mut().map(|work| calls_for(work)).collect();
    let mut rounds = vec![Vec::with_capacity(ROUNDS); works.len()];
    for _ in 0..ROUNDS {
        for ((work, calls), taken) in works.iter_mut().zip(&calls).zip(&mut rounds) {
            let begin = Instant::now();
            for _ in 0..*calls {
                black_box((work.run)());
            }
            taken.push(begin.elapsed().as_nanos() as f64 / (*calls * work.ids) as f64);
        }
    }
    println!("\n| {title} | ns per ID | × floor |\n|---|---|---|");
    let medians: Vec<f64> = rounds.into_iter().map(median).collect();
    for (Work { name, .. }, ns) in works.iter().zip(&medians) {
        println!("| {name} | {ns:.2} | {:.2} |", ns / medians[0]);
    }
}

fn calls_for(work: &mut Work<'_>) -> u64 {
    let mut calls = 1;
    loop {
        let begin = Instant::now();
        for _ in 0..calls {
            black_box((work.run)());
        }
        if begin.elapsed() >= ROUND {
            return calls;
        }
        calls *= 2;
    }
}

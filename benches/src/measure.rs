//! Measures several pieces of work in turns, so that a slow moment of the machine meets all of
//! them alike, and says the median of each, as a ratio to the first: the floor.

use std::hint::black_box;
use std::time::Instant;

/// One piece of work: so many IDs a call of `run`.
pub struct Work<'a> {
    /// What it is.
    pub name: &'a str,
    /// How many IDs one call gives.
    pub ids: u64,
    /// The work; what it returns is kept from the optimiser.
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

/// The median of one piece of work.
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Nanoseconds per ID.
    pub ns: f64,
}

const ROUNDS: usize = 31;

/// Runs every piece in turns, 31 rounds of about `round_ms` each, by a clock that shows ns.
pub fn in_turns(mut works: Vec<Work<'_>>, round_ms: u64, clock: impl Fn() -> u128) -> Vec<Figure> {
    let calls: Vec<u64> = works.iter_mut().map(|work| calls_for(work, round_ms)).collect();
    let mut rounds = vec![Vec::with_capacity(ROUNDS); works.len()];
    for _ in 0..ROUNDS {
        for ((work, calls), taken) in works.iter_mut().zip(&calls).zip(&mut rounds) {
            let begin = clock();
            for _ in 0..*calls {
                black_box((work.run)());
            }
            taken.push((clock() - begin) as f64 / (*calls * work.ids) as f64);
        }
    }
    works
        .iter()
        .zip(rounds)
        .map(|(work, mut taken)| {
            taken.sort_by(f64::total_cmp);
            Figure { name: work.name.to_owned(), ns: taken[ROUNDS / 2] }
        })
        .collect()
}

fn calls_for(work: &mut Work<'_>, round_ms: u64) -> u64 {
    let mut calls = 1;
    loop {
        let begin = Instant::now();
        for _ in 0..calls {
            black_box((work.run)());
        }
        if begin.elapsed().as_millis() as u64 >= round_ms {
            return calls;
        }
        calls *= 2;
    }
}

/// Prints the figures as rows of a table, each as a ratio to the first.
pub fn print(title: &str, figures: &[Figure]) {
    println!("\n| {title} | ns per ID | × floor |\n|---|---|---|");
    let floor = figures.first().map_or(1.0, |figure| figure.ns);
    for Figure { name, ns } in figures {
        println!("| {name} | {ns:.2} | {:.2} |", ns / floor);
    }
}

//! Rounds in turns, so that a slow moment of the machine affects every kind of request alike.

use crate::{Outcome, median};

const ROUNDS: usize = 5;

/// Runs every kind in turns; returns the figures of each, without the first, which warms up.
pub fn in_turns<K>(kinds: &[K], mut run: impl FnMut(&K) -> Outcome<f64>) -> Outcome<Vec<Vec<f64>>> {
    let mut rounds: Vec<Vec<f64>> = kinds.iter().map(|_| Vec::new()).collect();
    for turn in 0..=ROUNDS {
        for (kind, rounds) in kinds.iter().zip(&mut rounds) {
            let figure = run(kind)?;
            if turn > 0 {
                rounds.push(figure);
            }
        }
    }
    Ok(rounds)
}

/// Prints one row: the median of the figures, and of their ratios to the floor's.
pub fn row(name: &str, own: &[f64], floor: &[f64]) {
    let ratios: Vec<f64> = own.iter().zip(floor).map(|(own, floor)| own / floor).collect();
    println!("| {name} | {:.1} | {:.2} |", median(own.to_vec()), median(ratios));
}

//! The common part of the benches: rounds in turns, servers and their clients.

pub mod connection;
pub mod cpu;
pub mod measure;
pub mod rounds;
pub mod server;

use std::process::ExitCode;

/// A figure, or a message why there is none.
pub type Outcome<T = ()> = Result<T, String>;

/// Runs a bench as a program: `run` gets its arguments.
pub fn program(name: &str, run: impl FnOnce(&[&str]) -> Outcome) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{name}: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

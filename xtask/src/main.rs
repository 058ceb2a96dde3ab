//! Every job that CI does, runnable by hand: `cargo xtask --help`.

mod args;
mod bench;
mod build;
mod check;
mod consumers;
mod files;
mod nightly;
mod process;
mod project;
mod release;
mod run;
mod setup_ci;
mod simulate;
mod summary;
mod test;
mod tools;
mod verbs;

use std::process::ExitCode;

/// What every job gives back: nothing to say, or what went wrong and what to do.
pub type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match verbs::dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

//! Every job that CI does, runnable by hand: `cargo xtask --help`.

// Windows makes its packages with `build` and `release`; every other verb starts Unix's programs.
#![cfg_attr(windows, expect(dead_code, reason = "what only the other verbs call"))]

mod args;
#[cfg(unix)]
mod bare;
#[cfg(unix)]
mod bench;
mod build;
#[cfg(unix)]
mod check;
#[cfg(unix)]
mod consumers;
mod files;
mod hints;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod nightly;
mod parts;
mod prerequisites;
mod process;
mod progress;
mod project;
mod release;
mod report;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod setup_ci;
#[cfg(unix)]
mod simulate;
#[cfg(unix)]
mod test;
mod tools;
mod verbs;

use std::process::ExitCode;

/// What every job gives back: nothing to say, or what went wrong and what to do.
pub type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    #[cfg(unix)]
    if let Err(message) = interrupt::watch() {
        eprintln!("xtask: {message}");
    }
    match verbs::dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        #[cfg(unix)]
        Err(_) if interrupt::is_near() => loop {
            std::thread::park();
        },
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

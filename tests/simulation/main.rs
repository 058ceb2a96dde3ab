//! The simulator: many holders, a store with several servers, and all faults between them, in one
//! process and simulated time, from a seed. Every ID is checked.
//!
//! A world is drawn from its seed and run to its end; [`ledger`] is the oracle, which knows grants,
//! their holders and issued IDs, and nothing of rows, cursors or clocks.

mod args;
mod callers;
mod chaos;
mod courier;
mod database;
mod disk;
mod draw;
mod garble;
mod generator;
mod habits;
mod hear;
mod holder;
mod host_clock;
mod hunt;
mod keeping;
mod ledger;
mod lives;
mod operators;
mod places;
mod plan;
mod restore;
mod rng;
mod run;
mod sloppy;
mod store_clock;
mod tally;
mod thrift;
mod verdict;
mod windows;
mod wire;
mod world;

// The core with seeded bugs, all off until one is hunted.
extern crate leafid_core as leafid_sound;
extern crate leafid_seeded as leafid_core;

use std::hash::{BuildHasher, RandomState};
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let options = args::Options::parse();
    std::panic::set_hook(Box::new(|_| {}));
    let first = options.seed.unwrap_or_else(|| RandomState::new().hash_one(0u8) >> 16);
    let outcome =
        if options.bugs { hunt::hunt(&options, first) } else { run::simulate(&options, first) };
    match outcome {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

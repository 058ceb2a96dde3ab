//! `cargo xtask simulate`: the simulator, in a build where the protocol's known mistakes can be
//! switched on one at a time.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, project};

/// The verb; its options are the simulator's own.
pub fn main(mut args: Args) -> Outcome {
    simulator().args(args.rest()).done()
}

/// The simulator, to be given its own arguments.
pub fn simulator() -> Run {
    Run::new("cargo")
        .args(["run", "--release", "--locked", "-p", "leafid-tests", "--bin", "simulate", "--"])
        .env("RUSTFLAGS", "--cfg leafid_bugs")
        // Other flags would throw away what the other builds made.
        .env("CARGO_TARGET_DIR", project::target().join("bugs"))
}

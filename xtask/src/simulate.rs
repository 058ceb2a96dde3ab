//! `cargo xtask simulate`: the simulator, in a build where the protocol's known mistakes can be
//! switched on one at a time.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, project};

/// Other flags would throw away what the other builds made.
const FOLDER: &str = "bugs";

/// The verb; its options are the simulator's own.
pub fn main(mut args: Args) -> Outcome {
    build()?;
    simulator().args(args.rest()).done()
}

/// Builds the simulator.
pub fn build() -> Outcome {
    Run::new("cargo")
        .args(["build", "--release", "--locked", "-p", "leafid-tests", "--bin", "simulate"])
        .env("RUSTFLAGS", "--cfg leafid_bugs")
        .env("CARGO_TARGET_DIR", project::target().join(FOLDER))
        .done()
}

/// The simulator once it is built, to be given its own arguments.
pub fn simulator() -> Run {
    Run::new(project::target().join(FOLDER).join("release/simulate"))
}

//! `cargo xtask simulate`: the simulator, over a core in which the protocol's known mistakes can be
//! switched on one at a time.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, project};

/// The verb; its options are the simulator's own.
pub fn main(mut args: Args) -> Outcome {
    build()?;
    simulator().args(args.rest()).done()
}

/// Builds the simulator.
pub fn build() -> Outcome {
    let bin = ["build", "--release", "--locked", "-p", "leafid-tests", "--bin", "simulate"];
    Run::cargo(&bin).done()
}

/// The simulator once it is built, to be given its own arguments.
pub fn simulator() -> Run {
    Run::new(project::target().join("release/simulate"))
}

//! `cargo xtask simulate`: the simulator, over a core in which the protocol's known mistakes can be
//! switched on one at a time.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, project};

/// Passes its options to the simulator.
pub fn main(mut args: Args) -> Outcome {
    build()?;
    simulator().args(args.rest()).done()
}

pub fn build() -> Outcome {
    let bin = ["build", "--release", "--locked", "-p", "leafid-tests", "--bin", "simulate"];
    Run::cargo(&bin).done()
}

/// The built simulator, without arguments yet.
pub fn simulator() -> Run {
    Run::new(project::target().join("release/simulate"))
}

//! `cargo xtask bench`: every figure of `benches/README.md`.

use crate::Outcome;
use crate::args::Args;
use crate::process::Run;

/// Runs the benches crate in release; what follows is its own.
pub fn main(mut args: Args) -> Outcome {
    let rest = args.rest();
    Run::cargo(&["run", "--release", "--locked", "-p", "leafid-benches", "--"]).args(rest).done()
}

//! `cargo xtask simulate`: the simulator, in a build where the protocol's known mistakes can be
//! switched on one at a time.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, project};

/// The verb. What it does not know itself (`--seed`, `--bugs`) is the simulator's own.
pub fn main(mut args: Args) -> Outcome {
    let hours: Option<f64> = args.number("--hours")?;
    let seconds: Option<u64> = args.number("--seconds")?;
    let seconds = match (hours, seconds) {
        (Some(hours), None) if hours > 0.0 => format!("{:.0}", (hours * 3600.0).max(1.0)),
        (None, Some(seconds)) => seconds.to_string(),
        (None, None) => "60".to_owned(),
        _ => return Err("give `--hours` (above 0) or `--seconds`, not both".to_owned()),
    };
    simulator().args(["--seconds", &seconds]).args(args.rest()).done()
}

/// The simulator, to be given its own arguments.
pub fn simulator() -> Run {
    Run::new("cargo")
        .args(["run", "--release", "--locked", "-p", "leafid-tests", "--bin", "simulate", "--"])
        .env("RUSTFLAGS", "--cfg leafid_bugs")
        // Other flags would throw away what the other builds made.
        .env("CARGO_TARGET_DIR", project::target().join("bugs"))
}

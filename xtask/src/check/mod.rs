//! `cargo xtask check`: proofs about the sources, and controls that prove the proofs.

pub mod arrows;
mod controls;
mod lints;
mod purity;
mod texts;
mod weight;

use crate::args::Args;
use crate::parts;
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, project};

/// A proof: returns what it checked, or what is wrong.
type Proof = fn() -> Outcome<String>;

const PROOFS: &[(&str, Proof)] = &[
    ("fmt", lints::fmt),
    ("clippy", lints::clippy),
    ("arrows", arrows::members),
    ("script-arrows", || keeps(arrows::scripts(&project::at("bindings-js"))?)),
    ("python-arrows", || keeps(arrows::python(&project::at("bindings-py/python"))?)),
    ("locks", texts::locks),
    ("sizes", texts::sizes),
    ("versions", texts::versions),
    ("npm-weight", weight::npm),
    ("component-weight", weight::components),
    ("bare-targets", purity::bare_targets),
    ("no-panic", purity::no_panic),
];

fn keeps(linter: Run) -> Outcome<String> {
    linter.done().map(|()| "it keeps to its list, without a circle".to_owned())
}

pub fn main(mut args: Args) -> Outcome {
    let control = args.flag("--self-test");
    let only = args.value("--only")?;
    args.finish()?;
    let (job, list) =
        if control { ("check --self-test", controls::LIST) } else { ("check", PROOFS) };
    parts::run(job, list, only.as_deref())
}

/// Runs all proofs as one part of `cargo xtask test`.
pub fn proofs() -> Outcome<Report> {
    Ok(told("check", PROOFS))
}

/// Runs all controls as one part of `cargo xtask test`.
pub fn controls() -> Outcome<Report> {
    Ok(told("check --self-test", controls::LIST))
}

fn told(job: &'static str, list: &[(&'static str, Proof)]) -> Report {
    match parts::run(job, list, None) {
        Ok(()) => Report::from(format!("all {} are as they must be", list.len())),
        Err(why) => Report { failed: 1, first: Some(why), ..Report::default() },
    }
}

//! `cargo xtask check`: what must hold of the sources, and the controls that prove the proofs.

mod arrows;
mod controls;
mod lints;
mod purity;
mod texts;
mod weight;

use crate::Outcome;
use crate::args::Args;
use crate::parts;
use crate::process::log;
use crate::report::Report;

/// One proof: it says what it looked at, or what is wrong.
type Proof = fn() -> Outcome<String>;

const PROOFS: &[(&str, Proof)] = &[
    ("fmt", lints::fmt),
    ("clippy", lints::clippy),
    ("arrows", arrows::members),
    ("script-arrows", arrows::scripts),
    ("python-arrows", arrows::python),
    ("locks", texts::locks),
    ("sizes", texts::sizes),
    ("versions", texts::versions),
    ("npm-weight", weight::npm),
    ("component-weight", weight::components),
    ("bare-targets", purity::bare_targets),
    ("no-panic", purity::no_panic),
    ("no-allocation", purity::no_allocation),
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let control = args.flag("--self-test");
    let only = args.value("--only")?;
    args.finish()?;
    let (job, list) =
        if control { ("check --self-test", controls::LIST) } else { ("check", PROOFS) };
    parts::run(job, list, only.as_deref())
}

/// Every proof, as one part of `cargo xtask test`.
pub fn proofs() -> Outcome<Report> {
    Ok(counted(PROOFS, "proofs hold"))
}

/// Every control, as one part of `cargo xtask test`.
pub fn controls() -> Outcome<Report> {
    Ok(counted(controls::LIST, "controls turned red"))
}

fn counted(list: &[(&str, Proof)], what: &str) -> Report {
    let mut report = Report::default();
    for (name, proof) in list {
        let result = proof();
        let (Ok(said) | Err(said)) = &result;
        log::line(&format!("\n== {name}\n{said}"));
        if result.is_err() {
            report.failed += 1;
            let first = said.lines().next().unwrap_or_default();
            report.first.get_or_insert(format!("{name}: {first}"));
        }
    }
    report.note = format!("{} {what}", list.len() as u64 - report.failed);
    report
}

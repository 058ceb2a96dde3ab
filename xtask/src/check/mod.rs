//! `cargo xtask check`: what must hold of the sources, and the controls that prove the proofs.

mod arrows;
mod controls;
mod lints;
mod purity;
mod texts;
mod weight;

use crate::Outcome;
use crate::args::Args;
use crate::parts::Parts;
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
    ("networks", texts::networks),
    ("sizes", texts::sizes),
    ("versions", texts::versions),
    ("prerequisites", texts::prerequisites),
    ("npm-weight", weight::npm),
    ("component-weight", weight::components),
    ("no-dependencies", purity::dependencies),
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
    let chosen: Vec<_> =
        list.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = list.iter().map(|(name, _)| *name).collect();
        return Err(format!("{job} has no `{}`: {}", only.unwrap_or_default(), names.join(", ")));
    }
    let parts = Parts::new(job, chosen.len());
    for (name, proof) in chosen {
        parts.part(name, proof);
    }
    parts.close()
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
        log::line(&format!("\n== {name}"));
        match proof() {
            Ok(line) => log::line(&line),
            Err(error) => {
                log::line(&error);
                report.failed += 1;
                report
                    .first
                    .get_or_insert(format!("{name}: {}", error.lines().next().unwrap_or("")));
            }
        }
    }
    report.note = format!("{} {what}", list.len() as u64 - report.failed);
    report
}

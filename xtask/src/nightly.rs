//! `cargo xtask nightly`: checks that take too long for each change, or are random.

use crate::Outcome;
use crate::args::Args;
use crate::parts;
use crate::published;
use crate::release;
use crate::report::Report;
use crate::test::{rust, suites};

/// A part and its function, which takes whether it is to be short, as a trial.
type Part = (&'static str, fn(bool) -> Outcome<Report>);

/// The numbers: seconds per fuzzed target, kills per engine, fail-overs, seconds of the simulator.
const PARTS: [Part; 8] = [
    ("fuzz", |short| rust::fuzz(if short { 5 } else { 150 })),
    ("kills", |short| rust::kills(if short { 1 } else { 10 })),
    ("back", |short| rust::back(if short { 2 } else { 20 })),
    ("simulate", |short| rust::search(if short { 30 } else { 1_800 })),
    ("verbs", |_| suites::verbs(None)),
    ("api", |_| published::interface()),
    ("minimal", |_| published::minimal()),
    ("release", |_| release::rehearse()),
];

pub fn main(mut args: Args) -> Outcome {
    let short = args.flag("--short");
    let only = args.value("--only")?;
    args.finish()?;
    let all = PARTS.map(|(name, part)| (name, move || part(short)));
    parts::run("nightly", &all, only.as_deref())
}

//! `cargo xtask nightly`: what takes too long for each change, or is new each time.

use crate::Outcome;
use crate::args::Args;
use crate::parts;
use crate::release;
use crate::report::Report;
use crate::test::{component, rust};

/// How long the parts that may take any time go on.
pub struct Lengths {
    /// Each fuzzed target, in seconds.
    pub fuzz: u64,
    /// Kills of each engine.
    pub kills: u64,
    /// The simulator, in seconds.
    pub simulate: u64,
}

const WHOLE: Lengths = Lengths { fuzz: 150, kills: 10, simulate: 1_800 };
/// Whether each part still runs, to its end.
const SHORT: Lengths = Lengths { fuzz: 5, kills: 1, simulate: 30 };

type Part = (&'static str, fn(&Lengths) -> Outcome<Report>);

const PARTS: [Part; 6] = [
    ("fuzz", |lengths| rust::fuzz(lengths.fuzz)),
    ("component-rust", |_| component::in_rust()),
    ("component-bench", |_| component::bench_in_rust()),
    ("kills", |lengths| rust::kills(lengths.kills)),
    ("simulate", |lengths| rust::search(lengths.simulate)),
    ("release", |_| release::rehearse()),
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let lengths = if args.flag("--short") { SHORT } else { WHOLE };
    let only = args.value("--only")?;
    args.finish()?;
    let lengths = &lengths;
    let all = PARTS.map(|(name, part)| (name, move || part(lengths)));
    parts::run("nightly", &all, only.as_deref())
}

//! `cargo xtask nightly`: what takes too long for each change, or is new each time.

use crate::Outcome;
use crate::args::Args;
use crate::release;
use crate::summary::Summary;
use crate::test::{component, rust};

type Part = (&'static str, fn() -> Outcome<String>);

const PARTS: [Part; 6] = [
    ("fuzz", rust::fuzz),
    ("component-rust", component::in_rust),
    ("component-bench", component::bench_in_rust),
    ("kills", rust::kills),
    ("simulate", rust::search),
    ("release", release::rehearse),
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let only = args.value("--only")?;
    args.finish()?;
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut summary = Summary::default();
    for (name, run) in PARTS.into_iter().filter(|(name, _)| wanted(name)) {
        summary.part(name, run);
    }
    summary.close("nightly")
}

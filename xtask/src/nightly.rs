//! `cargo xtask nightly`: what takes too long for each change, or is new each time.

use crate::Outcome;
use crate::args::Args;
use crate::parts::Parts;
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
    ("release", |_| release::rehearse().map(Report::from)),
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let lengths = if args.flag("--short") { SHORT } else { WHOLE };
    let only = args.value("--only")?;
    args.finish()?;
    let chosen = chosen(only.as_deref())?;
    let parts = Parts::new("nightly", chosen.len());
    for (name, run) in chosen {
        parts.part(name, || run(&lengths));
    }
    parts.close()
}

fn chosen(only: Option<&str>) -> Outcome<Vec<Part>> {
    let chosen: Vec<_> =
        PARTS.into_iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no part `{}`: {}", only.unwrap_or(""), names.join(", ")));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::{PARTS, chosen};

    #[test]
    fn a_part_that_is_not_known_is_refused() {
        let refused = chosen(Some("fuz")).err().unwrap_or_default();
        assert!(refused.contains("`fuz`") && refused.contains("fuzz, "), "{refused}");
        assert_eq!(chosen(Some("fuzz")).map(|parts| parts.len()), Ok(1));
        assert_eq!(chosen(None).map(|parts| parts.len()), Ok(PARTS.len()));
    }
}

//! Switches on every seeded bug in turn, and reports which check finds it after how many worlds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use leafid_core::bugs::{self, Bug};

use crate::args::Options;
use crate::run;
use crate::tally::Tally;
use crate::verdict::{Check, Violation};

const BUDGET: Duration = Duration::from_secs(60);
/// The least number of worlds to run for a bug …
const LEAST_WORLDS: u64 = 6;
/// … and the most, even after [`BUDGET`] on a busy machine.
const MOST_WORLDS: u64 = 80;

/// Bugs that other tests find. They do not show here: calls are atomic, and a restart goes on strictly
/// above what the file reserves.
const ELSEWHERE: &[(Bug, &str)] = &[
    (Bug::CursorBeforeBound, "the model of the line: two threads between two steps"),
    (Bug::BoundBeforeCursor, "the model of the line: two threads between two steps"),
    (Bug::CloseInsideTick, "core/tests/state, which looks at what is written: no ID is wrong"),
];

#[derive(Default)]
struct Found {
    /// The checks that found it, and in how many worlds.
    checks: BTreeMap<Check, u64>,
    /// The first finding: its seed and figures, and the tally until then.
    first: Option<(u64, Violation, Tally)>,
    tally: Tally,
}

pub fn hunt(options: &Options, first: u64) -> Result<String, String> {
    println!("simulate --bugs: worlds from seed {first} on");
    println!(
        "{:21} {:>6} {:>13}  found by (in how many of the worlds that were looked at)",
        "bug", "worlds", "IDs"
    );
    let (mut found, mut missed) = (0, Vec::new());
    for bug in Bug::ALL {
        let name = format!("{bug:?}");
        if options.only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        if let Some((_, finder)) = ELSEWHERE.iter().find(|(other, _)| bug == other) {
            println!("{name:21} {:>6} {:>13}  {finder}", "-", "-");
            continue;
        }
        bugs::seed(*bug);
        let hit = look(first);
        bugs::seed(Bug::None);
        let words = |(check, count): (&Check, &u64)| format!("{} ({count})", check.words());
        let words: Vec<_> = hit.checks.iter().map(words).collect();
        let until = hit.first.as_ref().map_or(hit.tally, |(.., until)| *until);
        println!("{name:21} {:>6} {:>13}  {}", until.worlds, until.ids, words.join(", "));
        match hit.first {
            Some((seed, violation, _)) => {
                found += 1;
                if options.only.is_some() {
                    println!("seed {seed}: {violation}");
                }
            }
            None => missed.push(name),
        }
    }
    if !missed.is_empty() {
        return Err(format!("simulate --bugs: not found: {}", missed.join(", ")));
    }
    let others = ELSEWHERE.len();
    Ok(format!("simulate --bugs: {found} seeded bugs found, {others} are found elsewhere"))
}

fn look(first: u64) -> Found {
    let began = Instant::now();
    let mut found = Found::default();
    let over = |found: &Found| {
        let seen = found.first.is_some() && found.tally.worlds >= LEAST_WORLDS;
        seen || (began.elapsed() > BUDGET && found.tally.worlds >= MOST_WORLDS)
    };
    let mut seed = first;
    while !over(&found) {
        let (verdict, tally) = run::world(seed, false);
        found.tally.add(&tally);
        if let Err(violation) = verdict {
            *found.checks.entry(violation.check).or_default() += 1;
            found.first.get_or_insert((seed, violation, found.tally));
        }
        seed = seed.wrapping_add(1);
    }
    found
}

//! Every seeded bug, switched on in turn: which check finds it, and after how many worlds.

use std::time::{Duration, Instant};

use leafid_core::bugs::{self, Bug};

use crate::args::Options;
use crate::database::StoreBug;
use crate::run;
use crate::tally::Tally;
use crate::verdict::Violation;
use crate::world::{Mistake, Settings};

/// For so long a bug is looked for.
const BUDGET: Duration = Duration::from_secs(60);
/// After that, what broke a rule of the protocol is enough.
const PATIENCE: Duration = Duration::from_secs(15);

/// Only visible between two steps of two threads; here calls are atomic.
const MODEL_ONLY: &[Bug] = &[Bug::OpenAtOldTick, Bug::CursorBeforeBound, Bug::BoundBeforeCursor];

/// What of PROTOCOL §11 concerns parts that are not there yet.
const LATER: &str = "\
not there yet, and so not looked for: the fence (none, one that adds, one by `max_window`, one run
twice, `max_window` changed under live windows) and the state file (a release before a restart from
it, `forget` that leaves it, two processes on one, `reserved` synced after use)";

#[derive(Default)]
struct Found {
    effect: Option<Violation>,
    rule: Option<Violation>,
    seed: u64,
    tally: Tally,
}

/// Looks for all of them; gives the closing line, or what was not found.
pub fn hunt(options: &Options, first: u64) -> Result<String, String> {
    println!("simulate --bugs: worlds from seed {first} on");
    println!("{:22} {:38} {:34} {:>6} {:>12}", "bug", "found by", "rule broken", "worlds", "IDs");
    let core = Bug::ALL.iter().map(|bug| (format!("{bug:?}"), Some(*bug), None));
    let outside = [
        ("BlindWrite", Mistake::Store(StoreBug::BlindWrite)),
        ("SegmentReturn", Mistake::Store(StoreBug::SegmentReturn)),
        ("NoForget", Mistake::NoForget),
    ];
    let outside = outside.into_iter().map(|(name, it)| (name.to_owned(), None, Some(it)));
    let (mut found, mut missed) = (0, Vec::new());
    for (name, bug, mistake) in core.chain(outside) {
        if options.only.is_some_and(|only| only != name) {
            continue;
        }
        if bug.is_some_and(|bug| MODEL_ONLY.contains(&bug)) {
            println!("{name:22} model only: two threads between two steps");
            continue;
        }
        bugs::seed(bug.unwrap_or(Bug::None));
        let hit = look(first, mistake);
        bugs::seed(Bug::None);
        let words = |hit: &Option<Violation>| hit.as_ref().map_or("-", |hit| hit.check.words());
        let (effect, rule) = (words(&hit.effect), words(&hit.rule));
        let (worlds, ids) = (hit.tally.worlds, hit.tally.ids);
        println!("{name:22} {effect:38} {rule:34} {worlds:>6} {ids:>12}");
        if let Some(violation) = hit.effect.or(hit.rule) {
            found += 1;
            if options.only.is_some() {
                println!("seed {}: {violation}", hit.seed);
            }
        } else {
            missed.push(name);
        }
    }
    println!("{LATER}");
    if !missed.is_empty() {
        return Err(format!("simulate --bugs: not found: {}", missed.join(", ")));
    }
    Ok(format!("simulate --bugs: {found} seeded bugs found, {} by models only", MODEL_ONLY.len()))
}

fn look(first: u64, mistake: Option<Mistake>) -> Found {
    let began = Instant::now();
    let mut found = Found::default();
    let mut seed = first;
    let over = |found: &Found| {
        found.effect.is_some()
            || began.elapsed() > BUDGET
            || (found.rule.is_some() && began.elapsed() > PATIENCE)
    };
    while !over(&found) {
        for rules in [false, true] {
            let settings = Settings { rules, mistake, trace: false };
            let (verdict, tally, _) = run::world(seed, settings);
            found.tally.add(&tally);
            if let Err(violation) = verdict {
                let place =
                    if violation.check.is_rule() { &mut found.rule } else { &mut found.effect };
                place.get_or_insert(violation);
                found.seed = seed;
            }
        }
        seed = seed.wrapping_add(1);
    }
    found
}

//! Switches on every seeded bug in turn, and reports which check finds it after how many worlds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use leafid_core::bugs::{self, Bug};

use crate::args::Options;
use crate::run;
use crate::tally::Tally;
use crate::verdict::{Check, Violation};
use crate::world::{Mistake, Settings};

const BUDGET: Duration = Duration::from_secs(60);
/// The worlds to run for a bug, even after [`BUDGET`] on a busy machine.
const MOST_WORLDS: u64 = 160;
/// The time after which a broken rule of the protocol is enough, without an effect on users.
const PATIENCE: Duration = Duration::from_secs(15);

/// Bugs that other tests find. They do not show here: calls are atomic, and a restart goes on strictly
/// above what the file reserves.
const ELSEWHERE: &[(Bug, &str)] = &[
    (Bug::CursorBeforeBound, "the model of the line: two threads between two steps"),
    (Bug::BoundBeforeCursor, "the model of the line: two threads between two steps"),
    (Bug::CloseInsideTick, "core/tests/state, which looks at what is written: no ID is wrong"),
];

/// The least number of worlds to run for a bug.
const LEAST_WORLDS: u64 = 12;

#[derive(Default)]
struct Found {
    /// Effects on users, and in how many worlds.
    effects: BTreeMap<Check, u64>,
    /// The first broken rule of the protocol.
    rule: Option<Check>,
    /// The tally until the first finding.
    until: Option<Tally>,
    /// The first finding's seed and figures.
    first: Option<(u64, Violation)>,
    tally: Tally,
}

impl Found {
    fn note(&mut self, seed: u64, violation: Violation) {
        let check = violation.check;
        if check.is_rule() {
            self.rule.get_or_insert(check);
        } else {
            *self.effects.entry(check).or_default() += 1;
        }
        self.until.get_or_insert(self.tally);
        self.first.get_or_insert((seed, violation));
    }

    fn words(&self) -> String {
        let words = |(check, count): (&Check, &u64)| format!("{} ({count})", check.words());
        let effects: Vec<_> = self.effects.iter().map(words).collect();
        let rule = self.rule.map(|rule| format!("rule: {}", rule.words()));
        effects.into_iter().chain(rule).collect::<Vec<_>>().join(", ")
    }
}

pub fn hunt(options: &Options, first: u64) -> Result<String, String> {
    println!("simulate --bugs: worlds from seed {first} on");
    println!(
        "{:21} {:>6} {:>13}  found by (in how many of the worlds that were looked at)",
        "bug", "worlds", "IDs"
    );
    let core = Bug::ALL.iter().map(|bug| (format!("{bug:?}"), Some(*bug), None));
    let outside = [
        Mistake::BlindWrite,
        Mistake::KeyComesBack,
        Mistake::SegmentReturn,
        Mistake::NoForget,
        Mistake::SharedState,
        Mistake::NoFence,
        Mistake::FenceAdds,
        Mistake::WindowChanged,
    ];
    let outside = outside.map(|mistake| (format!("{mistake:?}"), None, Some(mistake)));
    let (mut found, mut missed) = (0, Vec::new());
    for (name, bug, mistake) in core.chain(outside) {
        if options.only.is_some_and(|only| only != name) {
            continue;
        }
        if let Some((_, finder)) = ELSEWHERE.iter().find(|(other, _)| bug == Some(*other)) {
            println!("{name:21} {:>6} {:>13}  {finder}", "-", "-");
            continue;
        }
        bugs::seed(bug.unwrap_or(Bug::None));
        let hit = look(first, mistake);
        bugs::seed(Bug::None);
        let until = hit.until.unwrap_or(hit.tally);
        println!("{name:21} {:>6} {:>13}  {}", until.worlds, until.ids, hit.words());
        match hit.first {
            Some((seed, violation)) => {
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

fn look(first: u64, mistake: Option<Mistake>) -> Found {
    let began = Instant::now();
    let mut found = Found::default();
    let mut seed = first;
    let over = |found: &Found| {
        let enough = found.tally.worlds >= LEAST_WORLDS;
        let seen = !found.effects.is_empty() && enough;
        let only_a_rule = found.rule.is_some() && began.elapsed() > PATIENCE;
        let tired = began.elapsed() > BUDGET && found.tally.worlds >= MOST_WORLDS;
        seen || only_a_rule || tired
    };
    while !over(&found) {
        // A broken rule ends a world before users are affected: run it without the rules as well.
        for rules in [false, true] {
            let settings = Settings { rules, mistake, trace: false };
            let (verdict, tally) = run::world(seed, settings);
            found.tally.add(&tally);
            if let Err(violation) = verdict {
                found.note(seed, violation);
            }
        }
        seed = seed.wrapping_add(1);
    }
    found
}

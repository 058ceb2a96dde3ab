//! A model of the fence for several servers: every order in which servers start, reserve, ack, crash
//! and stop while a store is restored from copies of itself. No number may be granted twice, and
//! each rule is needed: without it the search finds a way to grant one twice, and prints the shortest.
//! The rules are in `docs/PROTOCOL.md`, "When the store lost something".
//!
//! Run: `cargo xtask test --only models`
#![cfg(loom)]

mod rules;
mod server;
mod world;

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use rules::{PARTS, Periods, Rules, SILENT, Scope, TABLES, Without};
use world::{Left, Step, World};

/// A fast hasher: a state is stored as its 64-bit hash alone, which saves most of the memory. The chance that two
/// of ten million states share a hash, so that one is not searched, is 1 in 300,000.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u8(*byte));
    }

    fn write_u8(&mut self, byte: u8) {
        let wide = u128::from(self.0 ^ u64::from(byte) ^ 0x9e37_79b9_7f4a_7c15);
        let wide = wide * 0xe703_7ed1_a0b4_28db;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// All reachable states, in the order of their distance, each by its predecessor.
#[derive(Default)]
struct Search {
    states: Vec<(u32, Step)>,
    /// The first step that granted a number twice, or fenced a store without a restore, with the state before it.
    twice: Option<(usize, Step)>,
    /// The states, and steps between them, if they are wanted.
    worlds: Vec<World>,
    edges: Vec<(u32, u32, Step)>,
}

impl Search {
    fn new(rules: &Rules, keeps_edges: bool) -> Search {
        let first = World::new(rules.scope.left, rules.scope.members).renamed();
        let hash = |world: &World| {
            let mut hasher = Quick::default();
            world.hash(&mut hasher);
            hasher.finish()
        };
        let mut known: HashMap<u64, u32, BuildHasherDefault<Quick>> = HashMap::default();
        known.insert(hash(&first), 0);
        let mut next = VecDeque::from([first]);
        let mut search = Search { states: vec![(0, NOTHING)], ..Search::default() };
        let is_whole = rules.scope.left.restores == 0;
        let mut at = 0;
        while let Some(world) = next.pop_front().filter(|_| search.twice.is_none()) {
            rules.steps(&world, &mut |step, after| {
                if after.twice || is_whole && step.what == "@ fences, for a row" {
                    search.twice.get_or_insert((at, step));
                    return;
                }
                let after = after.renamed();
                let to = *known.entry(hash(&after)).or_insert_with(|| {
                    search.states.push((at as u32, step));
                    next.push_back(after);
                    search.states.len() as u32 - 1
                });
                if keeps_edges {
                    search.edges.push((at as u32, to, step));
                }
            });
            if keeps_edges {
                search.worlds.push(world);
            }
            at += 1;
        }
        search
    }

    fn trace(&self, mut at: usize, last: Option<Step>) -> Vec<String> {
        let mut steps: Vec<String> = last.iter().map(Step::to_string).collect();
        while at > 0 {
            let (before, step) = self.states[at];
            steps.push(step.to_string());
            at = before as usize;
        }
        steps.reverse();
        steps
    }

    /// The most periods until a number is granted, from any state with a server that grants, or from any
    /// state if servers start again; or the path to a state from which none ever is. No server crashes or
    /// stops meanwhile.
    fn longest_wait(&self, starts: bool) -> Result<u32, Vec<String>> {
        let mut ways: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.states.len()];
        let mut waits = vec![u32::MAX; self.states.len()];
        let mut next = VecDeque::new();
        for &(from, to, Step { what, i, torn, .. }) in &self.edges {
            let (before, after) = (self.worlds[from as usize], self.worlds[to as usize]);
            let begins = what.ends_with("starts") || what.ends_with("fences");
            let is_ill = ["crashes", "stops", "lost"].iter().any(|word| what.contains(word));
            if torn || is_ill || begins && !starts && !before.servers[i].up {
                continue;
            }
            ways[to as usize].push((from, (what == "a period is over").into()));
            if after.granted != before.granted && waits[from as usize] > 0 {
                waits[from as usize] = 0;
                next.push_back(from);
            }
        }
        while let Some(to) = next.pop_front() {
            for &(from, periods) in &ways[to as usize] {
                let wait = waits[to as usize] + periods;
                if wait < waits[from as usize] {
                    waits[from as usize] = wait;
                    if periods > 0 { next.push_back(from) } else { next.push_front(from) }
                }
            }
        }
        let mut longest = 0;
        for (at, wait) in waits.into_iter().enumerate() {
            let world = self.worlds[at];
            let counts = starts || world.servers.iter().any(|server| server.confirmed);
            match wait {
                _ if world.store.row == SPENT || !counts => {}
                wait if wait == u32::MAX || starts && wait > 0 => return Err(self.trace(at, None)),
                wait => longest = longest.max(wait),
            }
        }
        Ok(longest)
    }
}

/// The last number, from which on nothing more is expected.
const SPENT: u8 = 3;

const NOTHING: Step = Step { what: "", i: 0, j: 0, torn: false };
const NONE: Left = Left { restores: 0, crashes: 0, losses: 0, stale: 0, stops: 0 };

const ALL: Scope = Scope {
    name: "two servers; a restore of any part, a crash in any write, a lost disk",
    servers: 2,
    members: 2,
    rows: 3,
    range: 2,
    parts: PARTS,
    guest: false,
    windows: false,
    operators: true,
    split: true,
    periods: Periods::None,
    left: Left { restores: 1, crashes: 1, losses: 1, ..NONE },
};
const TWICE: Scope = Scope {
    name: "two servers; two restores of any table, a crash, a lost disk",
    range: 1,
    parts: TABLES,
    split: false,
    left: Left { restores: 2, ..ALL.left },
    ..ALL
};
const BETWEEN: Scope = Scope {
    name: "two servers; three restores of any table",
    split: true,
    left: Left { restores: 3, ..NONE },
    ..TWICE
};
const JOIN: Scope = Scope {
    name: "a server that is alone, and a new one; a restore, a crash, a lost disk",
    members: 1,
    ..ALL
};
const UPGRADE: Scope = Scope {
    name: "two servers; a restore, a crash, clean stops",
    range: 1,
    split: false,
    left: Left { losses: 0, stops: 1, ..ALL.left },
    ..ALL
};
const TIME: Scope = Scope {
    name: "two servers, which write in each period; a restore",
    operators: false,
    periods: Periods::Heard,
    left: Left { restores: 1, ..NONE },
    ..UPGRADE
};
/// Too large to be searched whole; without the rule it is for, the search ends early.
const SILENCE: Scope =
    Scope { name: "two servers, which may be silent", rows: 2, periods: Periods::Any, ..TIME };
const STALE: Scope = Scope {
    name: "two servers; an older copy of a journal, a restore, a crash",
    left: Left { restores: 1, crashes: 1, stale: 1, ..NONE },
    ..UPGRADE
};
const GUEST: Scope = Scope {
    name: "two servers and a guest; a restore, a crash, a lost disk",
    servers: 3,
    guest: true,
    range: 1,
    split: false,
    ..ALL
};
const VISIT: Scope = Scope {
    name: "two servers and a guest; a restore, a crash, clean stops",
    rows: 2,
    left: UPGRADE.left,
    ..GUEST
};
const THREE: Scope = Scope {
    name: "three servers; a restore, a crash",
    servers: 3,
    members: 3,
    rows: 2,
    left: Left { restores: 1, crashes: 1, ..NONE },
    ..UPGRADE
};
const WINDOWS: Scope = Scope {
    name: "two servers with a worker number; a restore, a crash, a lost disk",
    range: 1,
    windows: true,
    ..ALL
};
/// Only everyday events.
const DAILY: Scope = Scope {
    name: "two servers; crashes of both, rolling upgrades; no restore",
    rows: SPENT,
    periods: Periods::Heard,
    left: Left { crashes: 1, stops: 1, ..NONE },
    ..TIME
};

#[test]
fn model_no_number_is_granted_twice() {
    let scopes = [ALL, TWICE, BETWEEN, JOIN, UPGRADE, TIME, STALE, GUEST, VISIT, THREE, WINDOWS];
    let mut sum = 0;
    for scope in scopes {
        let search = Search::new(&Rules { without: &[], scope }, false);
        let trace = search.twice.map(|(at, step)| search.trace(at, Some(step)));
        assert_eq!(trace, None, "{}: a number was granted twice", scope.name);
        println!("model: {}: {} states", scope.name, search.states.len());
        sum += search.states.len();
    }
    println!("model: {sum} states in all");
    assert!(sum > 2_000_000, "the search has become smaller: {sum} states");
}

#[test]
fn model_each_rule_keeps_a_number_from_being_granted_twice() {
    let rules = [
        (Without::Waiting, ALL),
        (Without::Noting, ALL),
        (Without::OwnRows, ALL),
        (Without::Ranges, ALL),
        (Without::NotingMembers, JOIN),
        (Without::JournalsMembers, JOIN),
        (Without::OwnRecord, JOIN),
        (Without::All, JOIN),
        (Without::ConfirmedRows, JOIN),
        (Without::ConfirmedDrops, JOIN),
        (Without::GenerationRaised, TWICE),
        (Without::SurveyAgain, TWICE),
        (Without::GenerationChecked, GUEST),
        (Without::GuestsRange, GUEST),
        (Without::GuestsMet, GUEST),
        (Without::GuestsAck, VISIT),
        (Without::ReadAgain, VISIT),
        (Without::FenceHolds, WINDOWS),
        (Without::Watching, TIME),
        (Without::OwnSilence, SILENCE),
    ];
    for (without, scope) in rules {
        let search = Search::new(&Rules { without: &[without], scope }, false);
        let Some((at, step)) = search.twice else { panic!("{without:?} is not needed") };
        println!("model: found {without:?}, in {} states:", search.states.len());
        search.trace(at, Some(step)).iter().for_each(|step| println!("    {step}"));
    }
}

/// Without a restore no row ever shows a loss. A survivor waits until it may drop the server that crashed.
/// After a crash of both, or an upgrade, starting them is enough.
#[test]
fn model_without_a_restore_nothing_is_refused_for_long() {
    let right = Search::new(&Rules { without: &[], scope: DAILY }, true);
    assert!(right.twice.is_none());
    assert_eq!(right.longest_wait(false), Ok(SILENT.into()), "periods");
    assert_eq!(right.longest_wait(true), Ok(0), "periods");
    println!("model: {}: {} states", DAILY.name, right.states.len());
    let stuck = Search::new(&Rules { without: &[Without::EitherBeat], scope: DAILY }, true);
    let stuck = stuck.longest_wait(true).expect_err("it is not needed");
    println!("model: found EitherBeat, servers that start again have to wait after:");
    stuck.iter().for_each(|step| println!("    {step}"));
}

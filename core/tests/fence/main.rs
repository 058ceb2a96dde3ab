//! A model of the fence for several servers: every order in which servers start, reserve, ack, crash
//! and leave while a store is restored from copies of itself. No number may be granted twice, and
//! each rule is needed: without it the search finds a way to grant one twice, and prints the shortest.
//! The rules are in `docs/DESIGN.md`, "The fence as it will be".
//!
//! Run: `cargo xtask test --only models`
#![cfg(loom)]

mod events;
mod rules;
mod server;
mod world;

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use rules::{Periods, Rules, SILENT, Scope, Without};
use world::{Left, Step, World};

/// A hasher for keys that nobody chose to collide.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u8(*byte));
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

/// All reachable states, in the order of their distance, each with its predecessor.
struct Search {
    states: Vec<(World, u32, Step)>,
    /// The step that granted a number twice, and the state before it.
    twice: Option<(usize, Step)>,
    /// Steps between states, if they are wanted.
    edges: Vec<(u32, u32, Step)>,
}

impl Search {
    fn new(rules: &Rules, keeps_edges: bool) -> Search {
        let first = World::new(rules.scope.left).renamed();
        let mut known: HashMap<World, u32, BuildHasherDefault<Quick>> = HashMap::default();
        known.insert(first, 0);
        let states = vec![(first, 0, Step::Period)];
        let mut search = Search { states, twice: None, edges: Vec::new() };
        let mut at = 0;
        while at < search.states.len() && search.twice.is_none() {
            let world = search.states[at].0;
            rules.steps(&world, |step, after| {
                if after.twice {
                    search.twice.get_or_insert((at, step));
                    return;
                }
                let (after, before) = (after.renamed(), at as u32);
                let to = *known.entry(after).or_insert_with(|| {
                    search.states.push((after, before, step));
                    search.states.len() as u32 - 1
                });
                if keeps_edges {
                    search.edges.push((before, to, step));
                }
            });
            at += 1;
        }
        search
    }

    fn trace(&self, mut at: usize, last: Option<Step>) -> Vec<String> {
        let mut steps: Vec<String> = last.iter().map(Step::to_string).collect();
        while at > 0 {
            let (_, before, step) = self.states[at];
            steps.push(step.to_string());
            at = before as usize;
        }
        steps.reverse();
        steps
    }

    /// The most periods until a number is granted, from any state with a server that grants, or from any
    /// state if servers start again; or the path to a state from which none ever is. No server crashes or
    /// leaves meanwhile.
    fn longest_wait(&self, starts: bool) -> Result<u32, Vec<String>> {
        let world = |state: u32| self.states[state as usize].0;
        let mut ways: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.states.len()];
        let mut waits = vec![u32::MAX; self.states.len()];
        let mut next = VecDeque::new();
        for &(from, to, step) in &self.edges {
            let (before, after) = (world(from), world(to));
            let allowed = match step {
                Step::Start(i) | Step::Fence(i) => starts || before.servers[i].up,
                Step::Crash(_)
                | Step::Tears(..)
                | Step::Leave(_)
                | Step::Remove(..)
                | Step::Read(..) => false,
                _ => true,
            };
            if !allowed {
                continue;
            }
            ways[to as usize].push((from, (step == Step::Period).into()));
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
            let world = world(at as u32);
            let bounds = world.journals.iter().map(|journal| journal.bound);
            let is_spent = bounds.chain([world.store.bound]).any(|bound| bound == SPENT);
            let counts = starts || world.servers.iter().any(|server| server.confirmed);
            match wait {
                _ if is_spent || !counts => {}
                u32::MAX => return Err(self.trace(at, None)),
                wait => longest = longest.max(wait),
            }
        }
        Ok(longest)
    }
}

/// The last bound.
const SPENT: u8 = 4;

const ALL: Scope = Scope {
    name: "two servers; a restore, a crash in any write, a lost disk, operators",
    servers: 2,
    bound: 2,
    copies: 1,
    guest: false,
    windows: false,
    operators: true,
    split: true,
    torn: true,
    periods: Periods::None,
    left: Left { restores: 1, crashes: 1, losses: 1, stale: 0 },
};
const TWICE: Scope = Scope {
    name: "two servers; one copy, restored twice; a crash in any write, a lost disk, operators",
    split: false,
    left: Left { restores: 2, ..ALL.left },
    ..ALL
};
const BETWEEN: Scope = Scope {
    name: "two servers; one copy, restored twice, also between a look and its acks",
    operators: false,
    torn: false,
    left: Left { restores: 2, crashes: 0, losses: 0, stale: 0 },
    ..ALL
};
const TIME: Scope = Scope {
    name: "two servers, which write in each period; a restore",
    operators: false,
    split: false,
    torn: false,
    periods: Periods::Heard,
    left: Left { restores: 1, crashes: 0, losses: 0, stale: 0 },
    ..ALL
};
/// Too large to be searched whole; without the rule it is for, the search ends early.
const SILENCE: Scope =
    Scope { name: "two servers, which may be silent", periods: Periods::Any, ..TIME };
const STALE: Scope = Scope {
    name: "two servers; an older copy of a journal, a restore, a crash",
    operators: false,
    split: false,
    left: Left { restores: 1, crashes: 1, losses: 0, stale: 1 },
    ..ALL
};
const GUEST: Scope = Scope {
    name: "two servers and a guest; a restore, a crash, a lost disk",
    servers: 3,
    guest: true,
    operators: false,
    split: false,
    ..ALL
};
const THREE: Scope = Scope {
    name: "three servers; a restore",
    servers: 3,
    left: Left { restores: 1, crashes: 0, losses: 0, stale: 0 },
    ..STALE
};
const WINDOWS: Scope = Scope {
    name: "two servers with a worker number; a restore, a crash, a lost disk",
    bound: 3,
    windows: true,
    operators: false,
    split: false,
    ..ALL
};
/// Only everyday events.
const DAILY: Scope = Scope {
    name: "two servers; crashes of both, rolling upgrades; no restore",
    bound: SPENT,
    copies: 0,
    split: false,
    torn: false,
    periods: Periods::Heard,
    left: Left { restores: 0, crashes: 2, losses: 0, stale: 0 },
    ..ALL
};
const TORN: Scope = Scope {
    name: "two servers; a crash in any write, rolling upgrades; no restore",
    torn: true,
    left: Left { crashes: 1, ..DAILY.left },
    ..DAILY
};

#[test]
fn model_no_number_is_granted_twice() {
    let mut sum = 0;
    for scope in [ALL, TWICE, BETWEEN, TIME, STALE, THREE, GUEST, WINDOWS] {
        let search = Search::new(&Rules { without: Without::Nothing, scope }, false);
        let trace = search.twice.map(|(at, step)| search.trace(at, Some(step)));
        assert_eq!(trace, None, "{}: a number was granted twice", scope.name);
        println!("model: {}: {} states", scope.name, search.states.len());
        sum += search.states.len();
    }
    assert!(sum > 6_000_000, "the search has become smaller: {sum} states");
}

#[test]
fn model_each_rule_keeps_a_number_from_being_granted_twice() {
    let rules = [
        (Without::Waiting, ALL),
        (Without::Noting, ALL),
        (Without::NotingMembers, ALL),
        (Without::OwnRecord, ALL),
        (Without::AckJournaled, ALL),
        (Without::GenerationChecked, ALL),
        (Without::GenerationRaised, ALL),
        (Without::RaisedBound, ALL),
        (Without::JournalsMembers, ALL),
        (Without::FreshWaited, ALL),
        (Without::ConfirmedRemoves, ALL),
        (Without::LeaveAcked, ALL),
        (Without::TakenJournal, ALL),
        (Without::OneRead, BETWEEN),
        (Without::FenceLines, TWICE),
        (Without::ConfirmedDrops, TIME),
        (Without::OwnSilence, SILENCE),
        (Without::AnyWatching, TIME),
        (Without::FenceHolds, WINDOWS),
    ];
    for (without, scope) in rules {
        let search = Search::new(&Rules { without, scope }, false);
        let Some((at, step)) = search.twice else { panic!("{without:?} is not needed") };
        println!("model: found {without:?}, in {} states:", search.states.len());
        search.trace(at, Some(step)).iter().for_each(|step| println!("    {step}"));
    }
}

/// A survivor waits until it may drop the server that crashed. After a crash of both, or an upgrade,
/// starting them is enough.
#[test]
fn model_without_a_restore_nothing_is_refused_for_long() {
    let search = |without, scope| Search::new(&Rules { without, scope }, true);
    for scope in [DAILY, TORN] {
        let right = search(Without::Nothing, scope);
        assert_eq!(right.longest_wait(false), Ok(SILENT.into()), "periods");
        assert_eq!(right.longest_wait(true), Ok(0), "periods");
        println!("model: {}: {} states", scope.name, right.states.len());
    }
    for without in [Without::Fresh, Without::EitherBeat] {
        let stuck = search(without, TORN).longest_wait(true).expect_err("it is not needed");
        println!("model: found {without:?}, nobody grants again after:");
        stuck.iter().for_each(|step| println!("    {step}"));
    }
}

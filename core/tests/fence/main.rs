//! A model of the fence for several servers: every order in which servers join, reserve, note, crash
//! and leave while a store is restored from copies of itself. No number may be granted twice, and
//! each rule is needed: without it the search finds a way to grant one twice, and prints the shortest.
//! The rules are in `docs/DESIGN.md`, "The fence as it will be".
//!
//! Run: `cargo xtask test --only models`
#![cfg(loom)]

mod rules;
mod world;

use std::collections::{HashMap, VecDeque};

use rules::{Periods, Rules, SILENT, Scope, Without};
use world::{Left, Step, World};

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
        let mut known = HashMap::from([(first, 0)]);
        let states = vec![(first, 0, Step::Period)];
        let mut search = Search { states, twice: None, edges: Vec::new() };
        let mut at = 0;
        while at < search.states.len() && search.twice.is_none() {
            let world = search.states[at].0;
            rules.steps(&world, |step, after| {
                let Some(after) = after else {
                    search.twice.get_or_insert((at, step));
                    return;
                };
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
                Step::Join(i) => starts || before.servers[i].up,
                Step::Crash(_) | Step::Leave(_) | Step::Remove(..) | Step::Read(..) => false,
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
            let is_spent = world.store.bound == SPENT;
            let counts = starts || world.servers.iter().any(|server| server.sound);
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
const SPENT: u8 = 5;

const ALL: Scope = Scope {
    name: "two servers; one copy, restored twice; a crash, a lost disk, operators",
    servers: 2,
    bound: 3,
    copies: 1,
    guest: false,
    operators: true,
    periods: Periods::Any,
    left: Left { restores: 2, crashes: 1, losses: 1, stale: 0 },
};
const COPIES: Scope = Scope {
    name: "two servers; two copies, each restored",
    copies: 2,
    operators: false,
    periods: Periods::Heard,
    left: Left { restores: 2, crashes: 0, losses: 0, stale: 0 },
    ..ALL
};
const STALE: Scope = Scope {
    name: "two servers; an older copy of a journal, a restore, operators",
    periods: Periods::None,
    left: Left { restores: 1, crashes: 2, losses: 1, stale: 1 },
    ..ALL
};
const THREE: Scope = Scope {
    name: "three servers; a restore, a crash, a lost disk, operators",
    servers: 3,
    bound: 2,
    periods: Periods::None,
    left: Left { restores: 1, crashes: 1, losses: 1, stale: 0 },
    ..ALL
};
const GUEST: Scope = Scope {
    name: "two servers and a guest; a restore, a crash, a lost disk, operators",
    guest: true,
    ..THREE
};
const GUEST_TIME: Scope = Scope {
    name: "a server and a guest; one copy, restored twice; a crash, a lost disk",
    bound: 2,
    guest: true,
    ..ALL
};
/// Only everyday events.
const DAILY: Scope = Scope {
    name: "two servers; crashes of both, rolling upgrades; no restore",
    bound: SPENT,
    copies: 0,
    periods: Periods::Heard,
    left: Left { restores: 0, crashes: 2, losses: 0, stale: 0 },
    ..ALL
};

#[test]
fn model_no_number_is_granted_twice() {
    let mut sum = 0;
    for scope in [ALL, COPIES, STALE, THREE, GUEST, GUEST_TIME] {
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
        (Without::OwnRecord, ALL),
        (Without::Confirmed, ALL),
        (Without::NewConfirmed, ALL),
        (Without::OwnSilence, ALL),
        (Without::Watching, COPIES),
        (Without::SoundDrops, ALL),
        (Without::JournalsMembers, ALL),
        (Without::RaisedBound, ALL),
        (Without::RangeGivenUp, ALL),
        (Without::LeftJournal, ALL),
        (Without::TakenJournal, ALL),
        (Without::GuestDropsNobody, GUEST_TIME),
    ];
    // One number is enough, unless two servers grant from one range.
    let rules = rules.map(|(without, scope)| (without, Scope { bound: 2, ..scope }));
    for (without, scope) in [(Without::OwnRange, ALL)].into_iter().chain(rules) {
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
    let search = |without| Search::new(&Rules { without, scope: DAILY }, true);
    let right = search(Without::Nothing);
    assert_eq!(right.longest_wait(false), Ok(SILENT.into()), "periods");
    assert_eq!(right.longest_wait(true), Ok(0), "periods");
    println!("model: {}: {} states", DAILY.name, right.states.len());
    let without = Without::OwnRecordTrusted;
    let stuck = search(without).longest_wait(true).expect_err("it is not needed");
    println!("model: found {without:?}, nobody grants again after:");
    stuck.iter().for_each(|step| println!("    {step}"));
}

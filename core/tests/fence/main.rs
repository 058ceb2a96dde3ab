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
use std::time::Instant;

use rules::{PARTS, Periods, Rules, SILENT, Scope, TABLES, WHOLE, Without};
use world::{Left, Step, World};

/// A hasher for keys that nobody chose to collide. A state is known by its 64 bits alone: of ten million
/// states two have the same ones with a chance of 1 in 300,000.
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
    /// The step that granted a number twice, and the state before it.
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
        let mut search = Search { states: vec![(0, Step("", 0, 0))], ..Search::default() };
        let mut at = 0;
        while let Some(world) = next.pop_front().filter(|_| search.twice.is_none()) {
            rules.steps(&world, |step, after| {
                if after.twice || rules.scope.left.restores == 0 && step.0 == "@ fences, for a row" {
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
            if at > 40_000_000 { println!("model: STOPPED at {at}"); break; }
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
}

const NONE: Left = Left { restores: 0, crashes: 0, losses: 0, stale: 0, stops: 0 };

const ALL: Scope = Scope {
    name: "two servers; a restore, a crash in any write, a lost disk, operators",
    servers: 2,
    members: 2,
    rows: 4,
    range: 2,
    copies: 1,
    parts: PARTS,
    guest: false,
    windows: false,
    operators: true,
    split: true,
    periods: Periods::None,
    left: Left { restores: 1, crashes: 1, losses: 1, stale: 0, stops: 1 },
};

#[test]
fn model_try() {
    let env = |name: &str| std::env::var(name).ok();
    let number = |name: &str, or: u8| env(name).map_or(or, |n| n.parse().unwrap());
    let mut scope = ALL;
    scope.left = Left { restores: number("R", 1), crashes: number("C", 1), losses: number("L", 1), stale: number("S", 0), stops: number("STOPS", 0) };
    scope.rows = number("ROWS", 4);
    scope.range = number("RANGE", 2);
    scope.servers = number("N", 2).into();
    scope.members = number("M", 2).into();
    scope.split = number("SPLIT", 1) > 0;
    scope.copies = number("COPIES", 1).into();
    scope.operators = number("OPS", 1) > 0;
    scope.windows = number("W", 0) > 0;
    scope.guest = number("G", 0) > 0;
    scope.parts = match number("PARTS", 1) { 0 => WHOLE, 1 => PARTS, _ => TABLES };
    scope.periods = match number("P", 0) { 0 => Periods::None, 1 => Periods::Heard, _ => Periods::Any };
    let off: Vec<Without> = env("OFF").unwrap_or_default().split(',').filter(|s| !s.is_empty()).map(|name| *Without::EVERY.iter().find(|w| format!("{w:?}") == name).expect(name)).collect();
    let began = Instant::now();
    let search = Search::new(&Rules { without: off.leak(), scope }, false);
    println!("model: {} states, {:?}", search.states.len(), began.elapsed());
    if let Some((at, step)) = search.twice {
        search.trace(at, Some(step)).iter().for_each(|step| println!("    {step}"));
    }
}

fn number_of(name: &str) -> u8 { std::env::var(name).map_or(0, |n| n.parse().unwrap()) }

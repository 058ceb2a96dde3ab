//! `cargo xtask test`: tests that need no foreign server, browser or tool; with `--all`, the others, too.
//! `xtask/README.md` describes the form of a suite.

pub mod component;
mod description;
pub mod interpreters;
mod passed;
mod runners;
pub mod rust;
mod seen;
pub mod suites;
mod vectors;

use std::thread;

use crate::args::Args;
use crate::parts::{self, Parts};
use crate::process::log;
use crate::report::Report;
use crate::{Outcome, build, check, prerequisites};
use Group::{All, Everyone};
use Lane::{Cargo, Hosts};
use passed::Passed;

struct Part {
    name: &'static str,
    group: Group,
    lane: Lane,
    run: fn() -> Outcome<Report>,
}

/// The commands that run a part.
#[derive(PartialEq, Eq)]
enum Group {
    /// `cargo xtask test`.
    Everyone,
    /// `cargo xtask test --all` alone: it needs more than every machine has, or rarely fails.
    All,
}

/// Parts of two lanes run side by side: cargo compiles in one, hosts mostly wait in the other.
#[derive(PartialEq, Eq)]
enum Lane {
    Cargo,
    Hosts,
}

/// Runs before all others, which install its products.
const BUILD: Part = Part { name: "build", group: Everyone, lane: Cargo, run: products };

const PARTS: &[Part] = &[
    Part { name: "rust", group: Everyone, lane: Cargo, run: rust::workspace },
    Part { name: "models", group: Everyone, lane: Cargo, run: rust::models },
    Part { name: "e2e", group: Everyone, lane: Cargo, run: rust::end_to_end },
    Part { name: "simulate", group: Everyone, lane: Cargo, run: rust::simulate },
    Part { name: "python", group: Everyone, lane: Hosts, run: suites::python },
    Part { name: "node", group: Everyone, lane: Hosts, run: suites::node },
    // One seed, so that a red part is red on every machine.
    Part { name: "verbs", group: Everyone, lane: Hosts, run: || suites::verbs(Some("1")) },
    Part { name: "workerd", group: Everyone, lane: Hosts, run: suites::workerd },
    Part { name: "component", group: Everyone, lane: Hosts, run: component::suite },
    Part { name: "types", group: Everyone, lane: Hosts, run: suites::types },
    Part { name: "vectors", group: Everyone, lane: Hosts, run: vectors::compare },
    Part { name: "vectors-self-test", group: Everyone, lane: Hosts, run: vectors::self_test },
    Part { name: "check", group: All, lane: Cargo, run: check::proofs },
    Part { name: "check-self-test", group: All, lane: Cargo, run: check::controls },
    Part { name: "engines", group: All, lane: Cargo, run: rust::engines },
    Part { name: "description", group: All, lane: Cargo, run: description::agrees },
    Part { name: "python-engines", group: All, lane: Hosts, run: suites::python_engines },
    Part { name: "node-engines", group: All, lane: Hosts, run: suites::node_engines },
    Part { name: "consumers", group: All, lane: Hosts, run: suites::programs },
    Part { name: "interpreters", group: All, lane: Hosts, run: interpreters::all },
    Part { name: "dashboard", group: All, lane: Hosts, run: seen::dashboard },
    Part { name: "alerts", group: All, lane: Hosts, run: seen::alerts },
    Part { name: "examples", group: All, lane: Hosts, run: component::example },
];

pub fn main(mut args: Args) -> Outcome {
    let (all, self_test) = (args.flag("--all"), args.flag("--self-test"));
    let only = args.value("--only")?;
    args.finish()?;
    let only = if self_test { Some("vectors-self-test".to_owned()) } else { only };
    let chosen = parts::chosen(PARTS, only.as_deref(), |part| part.name)?;
    let chosen = chosen.into_iter();
    let chosen = chosen.filter(|part| all || only.is_some() || part.group == Everyone);
    prerequisites::check()?;
    // A single part always runs, and is no verdict on the tree.
    let passed = if only.is_none() { Passed::of_this_tree(all)? } else { Passed::default() };
    let (before, chosen): (Vec<_>, Vec<_>) = chosen.partition(|part| passed.has(part.name));
    for part in before {
        println!("  {} passed before on this tree: `test --all` does not repeat it", part.name);
    }
    let lane = |lane| chosen.iter().filter(|part| part.lane == lane).copied().collect::<Vec<_>>();
    let parts = Parts::new("test", true);
    let run = |part: &Part| {
        let mut missing = 0;
        let counted = || (part.run)().inspect(|report| missing = report.missing());
        // Tests that did not run may run once more is installed.
        if parts.part(part.name, counted) && missing == 0 {
            passed.note(part.name);
        }
    };
    if only.is_none_or(|only| !only.starts_with("check")) {
        run(&BUILD);
    }
    thread::scope(|scope| {
        for lane in [lane(Cargo), lane(Hosts)] {
            scope.spawn(|| lane.into_iter().for_each(run));
        }
    });
    parts.close()
}

/// Builds the products that most suites install, while npm and PyPI packages download.
fn products() -> Outcome<Report> {
    thread::scope(|scope| {
        let fetched = scope.spawn(log::handed_on(suites::fetch));
        let names = ["server", "wheel", "server-wheel", "wasm", "node", "npm"];
        let built = build::need(&names);
        fetched.join().unwrap_or_else(|_| Err("fetching panicked".to_owned()))?;
        built.map(|()| names.join(", ").into())
    })
}

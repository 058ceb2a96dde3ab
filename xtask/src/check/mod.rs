//! `cargo xtask check`: what must hold of the sources, and the controls that prove the proofs.

mod arrows;
mod circles;
mod component;
mod controls;
mod folders;
mod generated;
mod imports;
mod lints;
mod locks;
mod networks;
mod npm_sizes;
mod published;
mod purity;
mod sizes;
mod sources;
mod versions;
mod wasm_file;

use crate::Outcome;
use crate::args::Args;
use crate::summary::Summary;

/// One proof: it says what it looked at, or what is wrong.
type Proof = fn() -> Outcome<String>;

const PROOFS: &[(&str, Proof)] = &[
    ("fmt", lints::fmt),
    ("clippy", lints::clippy),
    ("arrows", arrows::members),
    ("script-arrows", imports::check),
    ("folder-arrows", folders::check),
    ("circles", circles::check),
    ("locks", locks::check),
    ("networks", networks::check),
    ("sizes", sizes::check),
    ("versions", versions::check),
    ("generated", generated::check),
    ("published", published::check),
    ("npm-sizes", npm_sizes::check),
    ("component-imports", component::imports),
    ("component-size", component::sizes),
    ("component-wit", component::wit),
    ("no-dependencies", purity::dependencies),
    ("bare-targets", purity::bare_targets),
    ("no-panic", purity::no_panic),
    ("no-allocation", purity::no_allocation),
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let control = args.flag("--self-test");
    let only = args.value("--only")?;
    args.finish()?;
    let (job, list) =
        if control { ("check --self-test", controls::LIST) } else { ("check", PROOFS) };
    run(job, list, only.as_deref())
}

/// Every proof, as one part of `cargo xtask test`.
pub fn proofs() -> Outcome<String> {
    run("check", PROOFS, None).map(|()| format!("{} proofs hold", PROOFS.len()))
}

/// Every control, as one part of `cargo xtask test`.
pub fn controls() -> Outcome<String> {
    let count = controls::LIST.len();
    run("check --self-test", controls::LIST, None).map(|()| format!("{count} controls turned red"))
}

fn run(job: &str, list: &[(&str, Proof)], only: Option<&str>) -> Outcome {
    let is_chosen = |name: &str| only.is_none_or(|only| only == name);
    if !list.iter().any(|(name, _)| is_chosen(name)) {
        let names: Vec<_> = list.iter().map(|(name, _)| *name).collect();
        return Err(format!("{job} has no `{}`: {}", only.unwrap_or_default(), names.join(", ")));
    }
    let mut summary = Summary::default();
    for (name, proof) in list.iter().filter(|(name, _)| is_chosen(name)) {
        summary.part(name, proof);
    }
    summary.close(job)
}

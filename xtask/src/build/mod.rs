//! `cargo xtask build`: what is published, into `dist/`.

mod common;
pub mod component;
mod entries;
pub mod node;
pub mod npm;
mod oci;
pub mod server;
mod smaller;
pub mod tarball;
mod texts;
pub mod wasm;
pub mod wheel;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::args::Args;
use crate::summary::Summary;
use crate::{Outcome, files, project, tools};

/// What one part of the build does. There is one profile, the published one: what the tests install,
/// what a user times and what is published are the same files.
type Step = fn() -> Outcome<PathBuf>;

/// In this order: the npm package carries the wasm, and is compiled against the types of both engines.
const STEPS: &[(&str, Step)] = &[
    ("server", server::build),
    ("wheel", wheel::build),
    ("wasm", wasm::build),
    ("node", node::build),
    ("npm", npm::build),
    ("component", component::build),
];

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let only = args.value("--only")?;
    args.finish()?;
    if let Some(only) = &only
        && !STEPS.iter().any(|(name, _)| name == only)
    {
        let names: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no part `{only}`: {}", names.join(", ")));
    }
    match only {
        None => tools::all_languages()?,
        Some(_) => tools::linker()?,
    }
    let mut summary = Summary::default();
    for (name, step) in STEPS.iter().filter(|(name, _)| only.as_deref().is_none_or(|o| o == *name))
    {
        summary.part(name, || step().map(|product| files::shown(&product)));
    }
    summary.close("build")
}

/// Everything, for a job that goes on with it.
pub fn all() -> Outcome<String> {
    let names: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
    need(&names)?;
    Ok(format!("{} products in dist", products()?.len()))
}

/// Some parts, each built once in the life of this process: the parts of a test share them.
pub fn need(names: &[&str]) -> Outcome {
    static BUILT: Mutex<BTreeMap<&str, Outcome<PathBuf>>> = Mutex::new(BTreeMap::new());
    tools::linker()?;
    let mut built = BUILT.lock().map_err(|_| "another part of the build panicked")?;
    for (name, step) in STEPS.iter().filter(|(name, _)| names.contains(name)) {
        let product = built.entry(name).or_insert_with(step);
        product.as_ref().map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// The server binary in `dist/`.
pub fn server_binary() -> PathBuf {
    project::dist().join("leafid")
}

/// The wheel in `dist/`.
pub fn wheel_file() -> Outcome<PathBuf> {
    let prefix = format!("leafid-{}-cp311-abi3-", project::version());
    files::ending(&project::dist(), ".whl")
        .into_iter()
        .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&prefix)))
        .ok_or_else(|| format!("no `{prefix}*.whl` in dist: `cargo xtask build --only wheel`"))
}

/// The main npm package and this machine's platform package, in `dist/`.
pub fn npm_tarballs() -> Outcome<[PathBuf; 2]> {
    let version = project::version();
    let both = [
        project::dist().join(format!("leafid-{version}.tgz")),
        project::dist().join(format!("leafid-{}-{version}.tgz", project::npm_platform())),
    ];
    match both.iter().find(|path| !path.is_file()) {
        None => Ok(both),
        Some(missing) => Err(format!("no `{}`: `cargo xtask build`", files::shown(missing))),
    }
}

fn products() -> Outcome<Vec<PathBuf>> {
    let [main, platform] = npm_tarballs()?;
    let all = vec![server_binary(), wheel_file()?, main, platform, component::product()];
    match all.iter().find(|path| !path.is_file()) {
        None => Ok(all),
        Some(missing) => Err(format!("no `{}` after the build", files::shown(missing))),
    }
}

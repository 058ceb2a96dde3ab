//! `cargo xtask build`: the published products, into `dist/`; `run` and `test` use faster builds of them.

pub mod component;
pub mod node;
pub mod npm;
pub mod server;
pub mod wasm;
pub mod wheel;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::args::Args;
use crate::parts;
use crate::{Outcome, files, prerequisites, project};

struct Step {
    name: &'static str,
    /// Earlier steps whose products this one uses.
    takes: &'static [&'static str],
    build: fn() -> Outcome<PathBuf>,
}

const STEPS: &[Step] = &[
    Step { name: "server", takes: &[], build: server::build },
    Step { name: "wheel", takes: &[], build: wheel::build },
    Step { name: "server-wheel", takes: &["server"], build: wheel::server },
    Step { name: "wasm", takes: &[], build: wasm::build },
    Step { name: "node", takes: &[], build: node::build },
    // Contains the wasm, and compiles against the native engine's types.
    Step { name: "npm", takes: &["wasm", "node"], build: npm::build },
    Step { name: "npm-server", takes: &["server"], build: npm::server },
    Step { name: "component", takes: &[], build: component::build },
];

pub fn main(mut args: Args) -> Outcome {
    let only = args.value("--only")?;
    args.finish()?;
    prerequisites::check()?;
    let made = |name| product(name).map(|product| files::shown(&product));
    let all: Vec<_> = STEPS.iter().map(|step| (step.name, move || made(step.name))).collect();
    parts::run("build", &all, only.as_deref())
}

/// Builds products, each once per process: the parts of a job share them.
pub fn need(names: &[&str]) -> Outcome {
    names.iter().try_for_each(|name| product(name).map(drop))
}

/// Builds a product and those that it uses, each once per process.
pub fn product(name: &str) -> Outcome<PathBuf> {
    static BUILT: Mutex<BTreeMap<&str, Outcome<PathBuf>>> = Mutex::new(BTreeMap::new());
    let step = STEPS.iter().find(|step| step.name == name).ok_or("there is no such product")?;
    need(step.takes)?;
    let mut built = BUILT.lock().map_err(|_| "another part of the build panicked")?;
    built.entry(step.name).or_insert_with(step.build).clone()
}

pub fn server_binary() -> PathBuf {
    project::dist().join(project::program("leafid"))
}

/// The npm package that `npm` or `npm-server` builds, and this machine's platform package.
pub fn npm_tarballs(product: &str) -> [PathBuf; 2] {
    let (version, platform) = (project::VERSION, project::npm_platform());
    let (name, platform) = match product {
        "npm" => ("leafid", platform.to_owned()),
        _ => ("leafid-server", npm::program_for(platform)),
    };
    let names = [format!("{name}-{version}.tgz"), format!("{name}-{platform}-{version}.tgz")];
    names.map(|name| project::dist().join(name))
}

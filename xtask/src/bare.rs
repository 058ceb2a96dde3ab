//! `cargo xtask bare`: tries a new user's first commands on a Debian with the README's prerequisites only.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, files, prerequisites, project};

const COMMAND: &str = "time cargo xtask run --seconds 10 && time cargo xtask test";

pub fn main(mut args: Args) -> Outcome {
    let words = args.rest();
    let command = if words.is_empty() { COMMAND.to_owned() } else { words.join(" ") };
    if let Some(why) = prerequisites::works("mmdebstrap", &["--version"]) {
        return Err(format!("{why}: apt-get install mmdebstrap"));
    }
    if prerequisites::works("sh", &["-c", "test $(id -u) = 0"]).is_some() {
        let line = "unshare --map-auto --map-root-user --mount cargo xtask bare";
        return Err(format!("chroot and mounts need root, or a user namespace: `{line}`"));
    }
    let toolchain = Run::new("rustc").quiet().args(["--print", "sysroot"]).output()?;
    let node = Run::new("node").quiet().args(["-p", "process.execPath"]).output()?;
    let root = project::target().join("bare");
    files::make_dir(&root)?;
    Run::new("sh")
        .args(["xtask/src/bare.sh", &command])
        .env("ROOT", root.canonicalize().map_err(|error| error.to_string())?)
        .env("PACKAGES", prerequisites::debian(true).join(","))
        .env("RUST", toolchain.trim())
        .env("NODE", node.trim())
        .quiet()
        .done()
}

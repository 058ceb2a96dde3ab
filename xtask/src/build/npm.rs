//! The npm packages: builds the main one, which `npm.mjs` stages, and packs all.

use std::path::{Path, PathBuf};

use super::{node, wasm};
use crate::process::Run;
use crate::{Outcome, files, project};

/// Stages and packs the main package, once the wasm and the native engine are built.
pub fn build() -> Outcome<PathBuf> {
    let stage = project::target().join("npm/stage/leafid");
    self::stage(&stage, &[])?;
    pack(&stage, &project::dist())
}

/// Stages the main package with the engines of these platforms instead of this machine's.
pub fn stage(stage: &Path, engines: &[&str]) -> Outcome {
    Run::new("node")
        .args(["xtask/src/build/npm.mjs", project::VERSION])
        .args([stage, &wasm::folder(), &node::types()])
        .args(engines)
        .done()
}

/// Copies both licences into a staged package.
pub fn licences(stage: &Path) -> Outcome {
    let copy = |name: &str| files::install(&project::at(name), &stage.join(name));
    ["LICENSE-APACHE", "LICENSE-MIT"].into_iter().try_for_each(copy)
}

/// Packs a staged package into a folder.
pub fn pack(stage: &Path, folder: &Path) -> Outcome<PathBuf> {
    files::make_dir(folder)?;
    let words = ["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"];
    let said = Run::new("npm").args(words).arg(folder).dir(stage).output()?;
    Ok(folder.join(said.lines().last().unwrap_or_default()))
}

//! What every npm package of ours has, and its tarball.

use std::path::{Path, PathBuf};

use crate::process::Run;
use crate::{Outcome, files, project};

/// Both licences, into a staged package.
pub fn licences(stage: &Path) -> Outcome {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files::install(&project::at(name), &stage.join(name))?;
    }
    Ok(())
}

/// Packs a staged package into a folder, under the name that is expected.
pub fn pack(stage: &Path, name: &str, folder: &Path) -> Outcome<PathBuf> {
    files::make_dir(folder)?;
    let packed = folder.join(name);
    files::remove(&packed)?;
    Run::new("npm")
        .args(["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"])
        .arg(folder)
        .dir(stage)
        .output()?;
    if packed.is_file() { Ok(packed) } else { Err(format!("npm packed no `{name}`")) }
}

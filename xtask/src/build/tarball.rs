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

/// Packs a staged package into `dist/` under the name that is expected.
pub fn pack(stage: &Path, name: &str) -> Outcome<PathBuf> {
    let packed = project::target().join("npm/packed").join(name);
    files::remove(&packed)?;
    files::make_dir(&project::target().join("npm/packed"))?;
    Run::new("npm")
        .args(["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"])
        .arg(project::target().join("npm/packed"))
        .dir(stage)
        .output()?;
    let product = project::dist().join(name);
    files::install(&packed, &product)?;
    Ok(product)
}

//! The store's binary, `leafid`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::server_binary;
use crate::process::Run;
use crate::{Outcome, files, project};

static SQLITE_ALONE: AtomicBool = AtomicBool::new(false);

/// Leaves out the drivers of database servers from now on: they are half of the compilation.
pub fn with_sqlite_alone() {
    SQLITE_ALONE.store(true, Ordering::Relaxed);
}

pub fn build() -> Outcome<PathBuf> {
    let release = project::is_release();
    let (profile, folder) = if release { ("server", "server") } else { ("dev", "debug") };
    let features = SQLITE_ALONE.load(Ordering::Relaxed).then_some("--no-default-features");
    Run::cargo(&["build", "--locked", "-p", "leafid-server", "--profile", profile])
        .args(features)
        .done()?;
    files::install(&project::target().join(folder).join("leafid"), &server_binary())?;
    Ok(server_binary())
}

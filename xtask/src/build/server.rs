//! The store's binary, `leafid`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::server_binary;
use crate::process::Run;
use crate::{Outcome, files, project};

static SQLITE_ALONE: AtomicBool = AtomicBool::new(false);

/// Builds it without the drivers of database servers, which are half of its compilation.
pub fn with_sqlite_alone() {
    SQLITE_ALONE.store(true, Ordering::Relaxed);
}

/// Builds the server.
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

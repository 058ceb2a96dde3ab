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

pub fn profile() -> &'static str {
    if project::is_release() { "server" } else { "dev" }
}

pub fn features() -> Option<&'static str> {
    SQLITE_ALONE.load(Ordering::Relaxed).then_some("--no-default-features")
}

pub fn build() -> Outcome<PathBuf> {
    let folder = if project::is_release() { "server" } else { "debug" };
    Run::cargo(&["build", "--locked", "-p", "leafid-server", "--profile", profile()])
        .args(features())
        .done()?;
    files::install(
        &project::target().join(folder).join(project::program("leafid")),
        &server_binary(),
    )?;
    Ok(server_binary())
}

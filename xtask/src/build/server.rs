//! The store's binary, `dist/leafid`.

use std::path::PathBuf;

use super::server_binary;
use crate::process::Run;
use crate::{Outcome, files, project};

/// Builds the server.
pub fn build() -> Outcome<PathBuf> {
    Run::cargo(&["build", "--locked", "-p", "leafid-server", "--release"]).done()?;
    let built = project::target().join("release/leafid");
    files::install(&built, &server_binary())?;
    Ok(server_binary())
}

//! The store's binary, `dist/leafid`.

use std::path::PathBuf;

use super::{Profile, server_binary};
use crate::process::Run;
use crate::{Outcome, files, project};

/// Builds the server.
pub fn build(profile: Profile) -> Outcome<PathBuf> {
    let command = ["build", "--locked", "-p", "leafid-server", "--profile", profile.name()];
    Run::cargo(&command).done()?;
    let built = project::target().join(profile.folder()).join("leafid");
    files::install(&built, &server_binary())?;
    Ok(server_binary())
}

//! The Python wheel, one for every CPython from 3.11 on.

use std::path::PathBuf;

use super::{npm, wheel_file};
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Builds the wheel with the project's own maturin.
pub fn build() -> Outcome<PathBuf> {
    let maturin = tools::maturin()?;
    licences()?;
    // Otherwise a wheel of another version or platform would stay beside the new one.
    files::ending(&project::dist(), ".whl").iter().try_for_each(|old| files::remove(old))?;
    Run::new(maturin)
        .args(["build", "--locked", "--quiet", "--manifest-path", "bindings-py/Cargo.toml"])
        .args(["--profile", if project::is_release() { "release" } else { "dev" }, "--out"])
        .arg(project::dist())
        .env("CARGO_TARGET_DIR", project::target())
        .done()?;
    wheel_file()
}

/// Copies both licences beside the manifest: packages contain nothing above it.
pub fn licences() -> Outcome {
    npm::licences(&project::at("bindings-py"))
}

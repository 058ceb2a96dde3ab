//! The Python wheel, one for every CPython from 3.11 on.

use std::path::PathBuf;

use super::wheel_file;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Builds the wheel with the project's own maturin.
pub fn build() -> Outcome<PathBuf> {
    let maturin = tools::maturin()?;
    // By themselves first: a wheel of another platform tag would otherwise stay beside the new one.
    let fresh = project::target().join("wheel");
    files::remove_dir(&fresh)?;
    Run::new(maturin)
        .args(["build", "--locked", "--quiet", "--manifest-path", "bindings-py/Cargo.toml"])
        .args(["--profile", if project::is_release() { "release" } else { "dev" }, "--out"])
        .arg(&fresh)
        .env("CARGO_TARGET_DIR", project::target())
        .done()?;
    let built = match files::ending(&fresh, ".whl").as_slice() {
        [one] => one.clone(),
        other => return Err(format!("maturin made {} wheels instead of one", other.len())),
    };
    let name = built.file_name().unwrap_or_default().to_owned();
    for old in files::ending(&project::dist(), ".whl") {
        if old.file_name() != Some(&name) {
            files::remove(&old)?;
        }
    }
    files::install(&built, &project::dist().join(&name))?;
    wheel_file()
}

//! The Python wheels: of the package, one for every CPython from 3.11 on and one for each that has no global lock, and of
//! the program `leafid`.

use std::path::PathBuf;

use super::{npm, server};
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Builds the package's wheel.
pub fn build() -> Outcome<PathBuf> {
    package(None)
}

/// Builds the package's wheel for the interpreter without the global lock.
pub fn free_threaded() -> Outcome<PathBuf> {
    package(Some(without_lock()?))
}

fn package(interpreter: Option<PathBuf>) -> Outcome<PathBuf> {
    licences()?;
    let profile = if project::is_release() { "release" } else { "dev" };
    maturin("bindings-py", "leafid-", profile, None, interpreter)
}

/// The value of `PYO3_CONFIG_FILE` for the interpreter without the global lock, which need not be here. Without it, PyO3
/// builds for the stable interface of those with the lock.
pub fn without_lock() -> Outcome<PathBuf> {
    let config = project::target().join("pyo3-3.14t");
    let said = "implementation=CPython\nversion=3.14\nbuild_flags=Py_GIL_DISABLED\n";
    files::write(&config, said).map(|_| config)
}

/// Builds the wheel of the program.
pub fn server() -> Outcome<PathBuf> {
    maturin("server", "leafid_server-", server::profile(), server::features(), None)
}

/// Builds the wheel of a folder with the project's own maturin; its file's name begins with `name`.
fn maturin(
    folder: &str,
    name: &str,
    profile: &str,
    features: Option<&str>,
    interpreter: Option<PathBuf>,
) -> Outcome<PathBuf> {
    // A folder of its own: in one, pip could choose between the two wheels of the package.
    let out = project::dist().join(if interpreter.is_some() { "free-threaded" } else { "" });
    let maturin = tools::maturin()?;
    let wheels = || {
        let named = |file: &PathBuf| {
            file.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name))
        };
        files::ending(&out, ".whl").into_iter().filter(named).collect::<Vec<_>>()
    };
    // Otherwise a wheel of another version or platform would stay beside the new one.
    wheels().iter().try_for_each(|old| files::remove(old))?;
    Run::new(maturin)
        .args(["build", "--locked", "--quiet", "--manifest-path", &format!("{folder}/Cargo.toml")])
        .args(["--profile", profile])
        .args(features)
        .arg("--out")
        .arg(&out)
        .env("CARGO_TARGET_DIR", project::target())
        .envs(interpreter.map(|config| ("PYO3_CONFIG_FILE", config)))
        .done()?;
    wheels().pop().ok_or_else(|| format!("maturin made no wheel {name}*.whl"))
}

/// Copies both licences beside the manifest: packages contain nothing above it.
pub fn licences() -> Outcome {
    npm::licences(&project::at("bindings-py"))
}

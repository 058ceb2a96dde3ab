//! Tests the one wheel on every later CPython found here, and that of an interpreter without the global lock on it.

use std::path::{Path, PathBuf};

use super::{runners, suites};
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, build, consumers, tools};

/// The versions after the oldest, which runs the whole suite.
const LATER: [&str; 4] = ["3.12", "3.13", "3.14", FREE_THREADED];
/// The one without the global lock.
pub const FREE_THREADED: &str = "3.14t";
/// The suites that depend on the interpreter: calls, threads, forks, loops and its end.
const SUITES: &[&str] = &[
    "vectors",
    "generators",
    "values",
    "errors",
    "asyncio",
    "imports",
    "state",
    "state_folder",
    "exit",
    "threads",
    "collected",
];

/// Runs the short suite on each. Debian has one CPython, so a missing one is reported, but no failure.
pub fn all() -> Outcome<Report> {
    let mut report = Report::default();
    for version in LATER {
        let Some(python) = with_leafid(version, version, &[consumers::PYTEST])? else {
            let what = if version == FREE_THREADED { "free-threaded " } else { "" };
            report += &Report::from(format!("no {what}CPython {version} here"));
            continue;
        };
        let files: Vec<_> =
            SUITES.iter().map(|name| format!("bindings-py/tests/test_{name}.py")).collect();
        let words = ["-m", "not engine"].into_iter().chain(files.iter().map(String::as_str));
        report += &runners::pytest(suites::pytest_of(&python, &words.collect::<Vec<_>>()))?;
    }
    Ok(report)
}

/// Makes an environment with the wheel and these arguments of `pip install` on the interpreter of a version, if one is
/// here.
pub fn with_leafid(version: &str, name: &str, words: &[&str]) -> Outcome<Option<PathBuf>> {
    let Some(interpreter) = find(version) else { return Ok(None) };
    let python = tools::venv_on(&interpreter, name, words)?;
    let wheel = match version {
        FREE_THREADED => build::wheel::free_threaded()?,
        _ => build::product("wheel")?,
    };
    consumers::with_wheel(python, &wheel).map(Some)
}

/// Finds a working interpreter of this version: on the path, or one of pyenv's.
fn find(version: &str) -> Option<PathBuf> {
    let name = format!("python{version}");
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(std::env::home_dir()?.join(".pyenv")));
    let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
    let installed = versions.into_iter().flatten().flatten();
    let mut places = vec![PathBuf::from(&name)];
    places.extend(installed.map(|entry| entry.path().join("bin").join(&name)));
    places.into_iter().find(|place| works(place))
}

fn works(python: &Path) -> bool {
    let probe = ["-c", "import ensurepip, ssl, sqlite3, venv"];
    Run::new(python).quiet().args(probe).listen().is_ok_and(|said| said.success)
}

//! The wheel on every later CPython that is found here: one file is for all of them.

use std::path::{Path, PathBuf};

use super::{pytest, suites};
use crate::process::Run;
use crate::{Outcome, consumers};

/// The minor versions after the oldest one, which runs the whole suite.
const LATER: std::ops::RangeInclusive<u8> = 12..=14;
/// What touches the interpreter itself: its calls, its threads, forks, loops and its end.
const SUITES: &[&str] = &[
    "vectors",
    "generators",
    "quick",
    "values",
    "errors",
    "asyncio",
    "imports",
    "pickling",
    "state",
    "state_folder",
    "exit",
];

/// Runs the short suite on each.
pub fn all() -> Outcome<String> {
    let found: Vec<_> = LATER.filter_map(|minor| Some((minor, find(minor)?))).collect();
    let mut said = Vec::new();
    for (minor, interpreter) in &found {
        let python = consumers::python_on(interpreter, &format!("3.{minor}"))?;
        let files: Vec<_> =
            SUITES.iter().map(|name| format!("bindings-py/tests/test_{name}.py")).collect();
        let words: Vec<_> = files.iter().map(String::as_str).collect();
        let line = pytest::closing_line(&suites::pytest_of(&python, &words).tee()?);
        said.push(format!("3.{minor}: {}", line.map_err(|line| format!("3.{minor}: {line}"))?));
    }
    // Debian brings one CPython; that the others are missing is no failure, but it is said.
    let missing: Vec<_> =
        LATER.filter(|minor| found.iter().all(|(found, _)| found != minor)).collect();
    said.extend(missing.iter().map(|minor| format!("3.{minor} NOT RUN: there is none here")));
    Ok(said.join(", "))
}

/// An interpreter of this version that works: on the path, or one of pyenv's.
fn find(minor: u8) -> Option<PathBuf> {
    let name = format!("python3.{minor}");
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

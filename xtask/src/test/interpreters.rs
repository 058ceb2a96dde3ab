//! Tests the one wheel on every later CPython found here.

use std::path::{Path, PathBuf};

use super::{runners, suites};
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, consumers, tools};

/// The minor versions after the oldest, which runs the whole suite.
const LATER: std::ops::RangeInclusive<u8> = 12..=14;
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
];

/// Runs the short suite on each. Debian has one CPython, so a missing one is reported, but no failure.
pub fn all() -> Outcome<Report> {
    let mut report = Report::default();
    for minor in LATER {
        let version = format!("3.{minor}");
        let Some(interpreter) = find(minor) else {
            report += &Report::from(format!("no CPython {version} here"));
            continue;
        };
        let python = tools::venv_on(&interpreter, &version, &[consumers::PYTEST])?;
        let python = consumers::with_wheel(python)?;
        let files: Vec<_> =
            SUITES.iter().map(|name| format!("bindings-py/tests/test_{name}.py")).collect();
        let words = ["-m", "not engine"].into_iter().chain(files.iter().map(String::as_str));
        report += &runners::pytest(suites::pytest_of(&python, &words.collect::<Vec<_>>()))?;
    }
    Ok(report)
}

/// Finds a working interpreter of this version: on the path, or one of pyenv's.
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

//! What a user has: a virtual environment with the wheel, a folder with the npm packages. Suites, benches
//! and the stream run there, so that they see what is published and nothing of the sources. Each purpose has
//! an environment of its own, with nothing in it that only another one needs.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::build;
use crate::process::Run;
use crate::tools::{self, npm_install};
use crate::{Outcome, files, project};

/// The runner of the Python suites; what a suite needs beyond it stands in its own list.
pub const PYTEST: &str = "pytest==8.4.2";
/// What the npm package is tried in.
const PROGRAMS: &str = "tests/consumers";
/// What of the checkout their suites see, and where.
const SHOWN: &[(&str, &str)] = &[
    ("bindings-js/tests", "js"),
    ("tests/consumers/suites", "suites"),
    ("tests/consumers/apps", "apps"),
];
/// A Node that has SQLite, for the suites of a Node that has none.
const NODE_WITH_SQLITE: &str = "24.21.0";

/// An environment with the built wheel and these words for `pip install`; its interpreter.
pub fn python(name: &str, words: &[&str]) -> Outcome<PathBuf> {
    with_wheel(tools::venv(name, words)?)
}

/// The same on another interpreter than `python3`.
pub fn python_on(other: &Path, name: &str, words: &[&str]) -> Outcome<PathBuf> {
    let folder = project::at(".cache/python").join(name);
    let (python, mark) = (folder.join("bin/python"), folder.join("installed"));
    if !files::read(&mark).is_ok_and(|installed| installed == words.join(" ")) {
        Run::new(other).args(["-m", "venv", "--clear"]).arg(&folder).done()?;
        Run::new(&python).args(["-m", "pip", "install", "--quiet"]).args(words).done()?;
        files::write(&mark, words.join(" "))?;
    }
    with_wheel(python)
}

fn with_wheel(python: PathBuf) -> Outcome<PathBuf> {
    build::need(&["wheel"])?;
    let wheel = build::wheel_file()?;
    let mark = python.with_file_name("leafid-installed");
    let wanted = stamps(std::slice::from_ref(&wheel))?;
    if !files::read(&mark).is_ok_and(|installed| installed == wanted) {
        files::remove(&mark)?;
        Run::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-index",
                "--no-deps",
                "--force-reinstall",
            ])
            .arg(wheel)
            .done()?;
        files::write(&mark, &wanted)?;
    }
    let place = Run::new(&python)
        .quiet()
        .args(["-c", "import leafid; print(leafid.__file__)"])
        .without("PYTHONPATH")
        .output()?;
    if !place.contains("site-packages") {
        return Err(format!("`import leafid` finds `{}`, not the wheel", place.trim()));
    }
    Ok(python)
}

/// Which files these are: their paths and when each was made.
fn stamps(of: &[PathBuf]) -> Outcome<String> {
    let stamp = |path: &PathBuf| {
        let made = std::fs::metadata(path).and_then(|data| data.modified());
        let made =
            made.map_err(|error| format!("cannot read `{}`: {error}", files::shown(path)))?;
        let made = made.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Ok(format!("{} {made}\n", path.display()))
    };
    of.iter().map(stamp).collect()
}

/// A folder with both npm packages.
pub fn node() -> Outcome<PathBuf> {
    let folder = project::at(".cache/consumer-js");
    with_tarballs(&folder, &["--offline"], |folder| {
        files::remove_dir(folder)?;
        empty_package(folder)
    })?;
    Ok(folder)
}

/// The same, with a fresh copy of the JavaScript suites in it, and what they use of others.
pub fn node_with_suites() -> Outcome<PathBuf> {
    tools::node_modules_of_tests()?;
    node_with_sqlite()?;
    let folder = node()?;
    suites_in(&folder)?;
    Ok(folder)
}

/// A folder with both npm packages, these libraries, and a fresh copy of the JavaScript suites.
pub fn node_beside(packages: &[&str]) -> Outcome<PathBuf> {
    let folder = project::at(".cache/consumer-js-peers");
    let (mark, wanted) = (folder.join("peers-installed"), packages.join("\n"));
    if !files::read(&mark).is_ok_and(|installed| installed == wanted) {
        files::remove_dir(&folder)?;
        empty_package(&folder)?;
        npm_install(&folder, packages)?;
        files::write(&mark, &wanted)?;
    }
    with_tarballs(&folder, &["--prefer-offline"], |_| Ok(()))?;
    suites_in(&folder)?;
    Ok(folder)
}

/// A folder with the npm packages beside the bundlers, runners and libraries that they are tried in, and
/// with the programs and suites of `tests/consumers`.
pub fn programs() -> Outcome<PathBuf> {
    tools::node_modules_of_tests()?;
    let (sources, folder) = (project::at(PROGRAMS), project::at(".cache/consumer-programs"));
    let mark = folder.join("programs-installed");
    let wanted = files::read(&sources.join("package-lock.json"))?;
    if !files::read(&mark).is_ok_and(|installed| installed == wanted) {
        files::remove(&folder.join("installed"))?;
        for name in ["package.json", "package-lock.json", ".npmrc"] {
            files::install(&sources.join(name), &folder.join(name))?;
        }
        npm_install(&folder, ["--prefer-offline", "--no-save"])?;
        files::write(&mark, &wanted)?;
    }
    with_tarballs(&folder, &["--prefer-offline", "--no-save"], |_| Ok(()))?;
    for (from, name) in SHOWN {
        files::remove_dir(&folder.join(name))?;
        files::copy_dir(&project::at(from), &folder.join(name))?;
    }
    Ok(folder)
}

/// Installs both packages where they are not those that were built last; `prepare` comes before.
fn with_tarballs(folder: &Path, words: &[&str], prepare: impl Fn(&Path) -> Outcome) -> Outcome {
    build::need(&["wasm", "node", "npm"])?;
    let tarballs = build::npm_tarballs()?;
    let (mark, wanted) = (folder.join("installed"), stamps(&tarballs)?);
    if files::read(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    files::remove(&mark)?;
    prepare(folder)?;
    let words = words.iter().map(PathBuf::from).chain(tarballs);
    npm_install(folder, words)?;
    files::write(&mark, wanted).map(drop)
}

/// Installs a Node with SQLite where every consumer below `.cache` finds it, unless this Node has it.
fn node_with_sqlite() -> Outcome {
    let has = Run::new("node").quiet().args(["-e", "require('node:sqlite')"]).listen()?;
    let folder = project::at(".cache");
    let (mark, platform) = (folder.join("node-with-sqlite"), project::npm_platform());
    if has.success || files::read(&mark).is_ok_and(|installed| installed == NODE_WITH_SQLITE) {
        return Ok(());
    }
    empty_package(&folder)?;
    let platform = platform.trim_end_matches("-gnu");
    npm_install(&folder, ["--no-save", &format!("node-{platform}@{NODE_WITH_SQLITE}")])?;
    files::write(&mark, NODE_WITH_SQLITE).map(drop)
}

fn empty_package(folder: &Path) -> Outcome {
    let manifest = "{ \"private\": true, \"type\": \"module\" }\n";
    files::write(&folder.join("package.json"), manifest).map(drop)
}

fn suites_in(folder: &Path) -> Outcome {
    let suites = folder.join("tests");
    files::remove_dir(&suites)?;
    files::copy_dir(&project::at("bindings-js/tests"), &suites)
}

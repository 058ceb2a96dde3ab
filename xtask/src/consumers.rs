//! What a user has: a virtual environment with the wheel, a folder with the npm packages. Suites,
//! benches and the stream run there, so that they see what is published and nothing of the sources.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::build;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// The runner of the Python suites; what a suite needs beyond it stands in its own list.
pub const PYTEST: &str = "pytest==8.4.2";
const MORE: &str = "bindings-py/tests/requirements.txt";
/// What the npm package is tried in.
const PROGRAMS: &str = "tests/consumers";
/// What of the checkout their suites see, and where.
const SHOWN: &[(&str, &str)] = &[
    ("bindings-js/tests", "js"),
    ("tests/consumers/suites", "suites"),
    ("tests/consumers/apps", "apps"),
];

/// An environment with the built wheel; its interpreter.
pub fn python() -> Outcome<PathBuf> {
    build::need(&["server", "wheel"])?;
    let wheel = build::wheel_file()?;
    let folder = project::at(".cache/consumer-py");
    let python = folder.join("bin/python");
    let (tools_mark, mark) = (folder.join(PYTEST), folder.join("leafid-installed"));
    let more = project::at(MORE);
    let wanted = if more.is_file() { files::read(&more)? } else { String::new() };
    if !files::read(&tools_mark).is_ok_and(|installed| installed == wanted) {
        tools::make_venv(&folder)?;
        let list = more.is_file().then_some([OsStr::new("-r"), more.as_os_str()]);
        Run::new(&python)
            .args(["-m", "pip", "install", "--quiet", PYTEST])
            .args(list.into_iter().flatten())
            .done()?;
        files::write(&tools_mark, &wanted)?;
    }
    if !files::fresh(std::slice::from_ref(&mark), std::slice::from_ref(&wheel)) {
        files::remove(&mark)?;
        install_wheel(&python)?;
        files::write(&mark, "")?;
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

/// An environment of another interpreter, with the built wheel and the runner; its own interpreter.
pub fn python_on(other: &Path, version: &str) -> Outcome<PathBuf> {
    build::need(&["server", "wheel"])?;
    let folder = project::at(format!(".cache/consumer-py-{version}"));
    let (python, mark) = (folder.join("bin/python"), folder.join(PYTEST));
    if !mark.exists() {
        Run::new(other).args(["-m", "venv", "--clear"]).arg(&folder).done()?;
        Run::new(&python).args(["-m", "pip", "install", "--quiet", PYTEST]).done()?;
        files::write(&mark, "")?;
    }
    install_wheel(&python)?;
    Ok(python)
}

fn install_wheel(python: &Path) -> Outcome {
    Run::new(python)
        .args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--force-reinstall"])
        .arg(build::wheel_file()?)
        .done()
}

/// An environment of its own with the built wheel and these packages; its interpreter.
pub fn python_beside(packages: &[&str]) -> Outcome<PathBuf> {
    build::need(&["server", "wheel"])?;
    let folder = project::at(".cache/consumer-peers");
    let python = folder.join("bin/python");
    let mark = folder.join("peers-installed");
    let wanted = packages.join("\n");
    if !files::read(&mark).is_ok_and(|installed| installed == wanted) {
        tools::make_venv(&folder)?;
        Run::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages).done()?;
        files::write(&mark, &wanted)?;
    }
    install_wheel(&python)?;
    Ok(python)
}

/// A folder with both npm packages.
pub fn node() -> Outcome<PathBuf> {
    build::need(&["server", "wasm", "node", "npm"])?;
    tools::node_modules()?;
    let tarballs = build::npm_tarballs()?;
    let folder = project::at(".cache/consumer-js");
    install(&folder, &tarballs)?;
    Ok(folder)
}

/// The same, with a fresh copy of the JavaScript suites in it.
pub fn node_with_suites() -> Outcome<PathBuf> {
    let folder = node()?;
    let suites = folder.join("tests");
    files::remove_dir(&suites)?;
    files::copy_dir(&project::at("bindings-js/tests"), &suites)?;
    Ok(folder)
}

/// A folder with both npm packages, these libraries, and a fresh copy of the JavaScript suites.
pub fn node_beside(packages: &[&str]) -> Outcome<PathBuf> {
    build::need(&["wasm", "node", "npm"])?;
    tools::node_modules()?;
    let folder = project::at(".cache/consumer-js-peers");
    let (mark, wanted) = (folder.join("peers-installed"), packages.join("\n"));
    if !files::read(&mark).is_ok_and(|installed| installed == wanted) {
        files::remove_dir(&folder)?;
        files::write(
            &folder.join("package.json"),
            "{ \"private\": true, \"type\": \"module\" }\n",
        )?;
        npm_install(&folder, packages, &[])?;
        files::write(&mark, &wanted)?;
    }
    npm_install(&folder, &["--prefer-offline"], &build::npm_tarballs()?)?;
    let suites = folder.join("tests");
    files::remove_dir(&suites)?;
    files::copy_dir(&project::at("bindings-js/tests"), &suites)?;
    Ok(folder)
}

/// A folder with the npm packages beside the bundlers, runners and libraries that they are tried in, and
/// with the programs and suites of `tests/consumers`.
pub fn programs() -> Outcome<PathBuf> {
    build::need(&["server", "wasm", "node", "npm"])?;
    tools::node_modules()?;
    let tarballs = build::npm_tarballs()?;
    let (sources, folder) = (project::at(PROGRAMS), project::at(".cache/consumer-programs"));
    let (programs, mark) = (folder.join("programs-installed"), folder.join("installed"));
    let wanted = files::read(&sources.join("package-lock.json"))?;
    if !files::read(&programs).is_ok_and(|installed| installed == wanted) {
        files::remove(&mark)?;
        for name in ["package.json", "package-lock.json", ".npmrc"] {
            files::install(&sources.join(name), &folder.join(name))?;
        }
        npm_install(&folder, &["--prefer-offline", "--no-save"], &[])?;
        files::write(&programs, &wanted)?;
    }
    if !files::fresh(std::slice::from_ref(&mark), &tarballs) {
        files::remove(&mark)?;
        npm_install(&folder, &["--prefer-offline", "--no-save"], &tarballs)?;
        files::write(&mark, "")?;
    }
    for (from, name) in SHOWN {
        files::remove_dir(&folder.join(name))?;
        files::copy_dir(&project::at(from), &folder.join(name))?;
    }
    Ok(folder)
}

fn npm_install(folder: &Path, words: &[&str], tarballs: &[PathBuf]) -> Outcome {
    Run::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"])
        .args(words)
        .args(tarballs)
        .dir(folder)
        .done()
}

fn install(folder: &Path, tarballs: &[PathBuf]) -> Outcome {
    let mark = folder.join("installed");
    if files::fresh(std::slice::from_ref(&mark), tarballs) {
        return Ok(());
    }
    files::remove_dir(folder)?;
    files::write(&folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    npm_install(folder, &["--offline"], tarballs)?;
    files::write(&mark, "")?;
    Ok(())
}

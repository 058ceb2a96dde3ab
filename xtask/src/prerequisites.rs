//! The project's prerequisites, from the README's table: `run`, `test` and `build` check them, `setup-ci`
//! installs them, and `bare` makes a system of them.

use std::path::Path;

use crate::Outcome;
use crate::process::Run;

const README: &str = include_str!("../../README.md");

/// Returns a complaint if something is missing or too old.
type Look = fn() -> Option<String>;

/// The start of each row of the table, and its check.
const LOOKS: &[(&str, Look)] = &[
    ("| Rust 1.95 ", rust),
    ("| a C compiler ", || works("cc", &["--version"])),
    ("| Python 3.11 ", python),
    ("| Node 20.19 ", node),
    ("| git ", || works("git", &["--version"])),
    ("| CA certificates ", certificates),
];

/// The target of the npm package's wasm, which only rustup can add.
pub const WASM: &str = "wasm32-unknown-unknown";

/// A row's cells: its name, and its installation on Debian, Fedora and macOS.
fn row(begin: &str) -> [&'static str; 4] {
    let row = README.lines().find(|line| line.starts_with(begin)).unwrap_or_default();
    let mut cells = row.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`']));
    [0; 4].map(|_| cells.next().unwrap_or_default())
}

/// The Debian packages of a row; none if Debian's are too old.
fn packages(begin: &str) -> impl Iterator<Item = &'static str> {
    let [_, debian, ..] = row(begin);
    debian.strip_prefix("sudo apt-get install ").unwrap_or_default().split_whitespace()
}

/// Fails with everything that is missing, each with the command that installs it.
pub fn check() -> Outcome {
    let told = |(begin, look): &(&str, Look)| {
        let (missing, [name, debian, fedora, macos]) = (look()?, row(begin));
        let here = match cfg!(target_os = "macos") {
            true => macos,
            false if Path::new("/etc/fedora-release").exists() => fedora,
            false => debian,
        };
        Some(format!("\n  {name}: {missing}\n      {}", here.replace("\\|", "|")))
    };
    let missing: String = LOOKS.iter().filter_map(told).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("this machine lacks{missing}")) }
}

/// The Debian packages of all rows, or of those missing here.
pub fn debian(of_all: bool) -> Vec<&'static str> {
    let wanted = LOOKS.iter().filter(|(_, look)| of_all || look().is_some());
    wanted.flat_map(|(begin, _)| packages(begin)).collect()
}

fn rust() -> Option<String> {
    works("cargo", &["--version"]).or_else(|| {
        let sysroot = said("rustc", &["--print", "sysroot"])?;
        let target = Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).join("lib");
        let why = if target.is_dir() { None } else { works("rustup", &["--version"]) };
        why.map(|why| format!("{why}, and without it the target {WASM} cannot be added"))
    })
}

fn python() -> Option<String> {
    let version = "import sys; print(*sys.version_info[:2], sep='.')";
    works("python3", &["--version"])
        .or_else(|| too_old("python3", &said("python3", &["-c", version])?, &[3, 11]))
        .or_else(|| works("python3", &["-c", "import venv, ensurepip"]))
}

fn node() -> Option<String> {
    works("node", &["--version"])
        .or_else(|| too_old("node", &said("node", &["--version"])?, &[20, 19]))
        .or_else(|| works("npm", &["--version"]))
}

/// Usual paths of a system's certificate bundle.
const BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
];

fn certificates() -> Option<String> {
    let given = std::env::var("SSL_CERT_FILE").unwrap_or_default();
    let mut places = BUNDLES.iter().copied().chain([given.as_str()]);
    let there = places.any(|bundle| Path::new(bundle).exists());
    (!there).then(|| format!("no `{}`", BUNDLES[0]))
}

/// Why a program does not work, if it does not.
pub fn works(program: &str, probe: &[&str]) -> Option<String> {
    match Run::new(program).quiet().args(probe).listen() {
        Err(_) => Some(format!("no `{program}`")),
        Ok(said) if said.success => None,
        Ok(said) => {
            let why = said.stderr.lines().rev().find(|line| !line.trim().is_empty());
            Some(format!("`{program}` does not work ({})", why.unwrap_or("it does not say why")))
        }
    }
}

fn said(program: &str, words: &[&str]) -> Option<String> {
    Run::new(program).quiet().args(words).output().ok()
}

fn too_old(program: &str, version: &str, least: &[u32]) -> Option<String> {
    let version = version.trim();
    let parts = version.trim_start_matches('v').split('.').map_while(|part| part.parse().ok());
    let parts: Vec<u32> = parts.collect();
    (parts.as_slice() < least).then(|| format!("`{program}` is {version}"))
}

#[cfg(test)]
mod tests {
    use super::{LOOKS, README, packages, row};

    #[test]
    fn every_row_of_the_readme_is_looked_for_and_has_a_command_for_each_system() {
        let table = README.split("| needs | on Debian").nth(1).unwrap_or_default();
        let rows = table.lines().skip(2).take_while(|line| line.starts_with("| ")).count();
        assert_eq!(rows, LOOKS.len());
        for (begin, _) in LOOKS {
            assert!(row(begin).iter().all(|cell| !cell.is_empty()), "{begin}");
        }
        assert_eq!(packages("| Python 3.11 ").collect::<Vec<_>>(), ["python3", "python3-venv"]);
    }
}

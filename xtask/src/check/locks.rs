//! The lock files name no place that only one network can reach.

use crate::{Outcome, files, project};

/// The one source that `Cargo.lock` may name.
const CRATES: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// All lock files.
pub fn check() -> Outcome<String> {
    let mut cargo = files::read(&project::at("Cargo.lock"))?;
    cargo += &files::read(&project::at("tests/purity/Cargo.lock"))?;
    let npm = files::read(&project::at("package-lock.json"))?;
    complaint(&cargo, &npm).map_or(Ok("Cargo.lock twice, package-lock.json".to_owned()), Err)
}

/// What is wrong with them.
pub fn complaint(cargo: &str, npm: &str) -> Option<String> {
    for line in cargo.lines().filter(|line| line.starts_with("source = ")) {
        if !line.contains(CRATES) {
            return Some(format!("Cargo.lock: {line}: every crate comes from crates.io"));
        }
    }
    // With `omit-lockfile-registry-resolved` npm writes no host at all.
    if let Some(line) = npm.lines().find(|line| line.contains("\"resolved\":")) {
        return Some(format!("package-lock.json: {}: remove the host", line.trim()));
    }
    None
}

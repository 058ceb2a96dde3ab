//! The lock files name no place that only one network can reach.

use crate::{Outcome, files, project};

/// The one source that `Cargo.lock` may name.
const CRATES: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// All lock files.
pub fn check() -> Outcome<String> {
    let mut cargo = files::read(&project::at("Cargo.lock"))?;
    cargo += &files::read(&project::at("tests/purity/Cargo.lock"))?;
    cargo += &files::read(&project::at("examples/component-rust/Cargo.lock"))?;
    let mut npm = files::read(&project::at("package-lock.json"))?;
    let folders = [
        "examples/component-js",
        "examples/cloudflare-worker",
        "examples/node-postgres",
        "tests/consumers",
    ];
    for folder in folders {
        npm += &files::read(&project::at(folder).join("package-lock.json"))?;
    }
    let told = "Cargo.lock three times, package-lock.json five times".to_owned();
    complaint(&cargo, &npm).map_or(Ok(told), Err)
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

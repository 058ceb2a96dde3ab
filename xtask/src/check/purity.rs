//! The core and the wire without JSON are pure: proved by what they link to, not by what their authors
//! promise.

use super::weight;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Targets without an operating system, an allocator or `std`; the second has no 64-bit atomics.
const BARE: &[&str] = &["wasm32v1-none", "thumbv7em-none-eabi"];

/// The crate that puts every public verb of both behind `extern "C"`, a workspace of its own.
pub const CRATE: &str = "tests/purity/Cargo.toml";

/// Verbs that the crate exports at least; one that the linker dropped would prove nothing.
const VERBS: usize = 120;

/// Public functions that only hold what they were given.
const NO_VERBS: &[&str] = &["until", "get", "bytes"];

/// Both build where there is nothing to lean on.
pub fn bare_targets() -> Outcome<String> {
    for target in BARE {
        tools::rust_target(target)?;
        let pure = ["-p", "leafid-core", "-p", "leafid-wire", "--no-default-features"];
        Run::cargo(&["build", "--locked", "--lib", "--target", target]).args(pure).done()?;
    }
    Ok(format!("builds for {}", BARE.join(" and ")))
}

/// The optimiser could remove every panic, nothing is asked of the host, and no memory: there is no
/// allocator to link with.
pub fn no_panic() -> Outcome<String> {
    let (asked, offered) = linked(None)?;
    if !asked.is_empty() {
        return Err(format!("the core can panic, or asks its host for {}", asked.join(", ")));
    }
    if offered.len() < VERBS {
        return Err(format!("{} verbs were linked, fewer than {VERBS}", offered.len()));
    }
    let pure = text_of("core/src")? + &text_of("wire/src")?;
    let missing = unproved(&pure, &text_of("tests/purity/src")?);
    if !missing.is_empty() {
        return Err(format!("not in `tests/purity/src`: {}", missing.join(", ")));
    }
    Ok(format!("{} verbs, 0 imports", offered.len()))
}

/// The public functions that the purity crate never calls.
pub fn unproved(pure: &str, proof: &str) -> Vec<String> {
    let lines = pure.lines().map(str::trim_start);
    let public = lines.filter_map(|line| {
        line.strip_prefix("pub fn ").or_else(|| line.strip_prefix("pub const fn "))
    });
    let names = public.filter_map(|rest| rest.split(['(', '<']).next());
    let mut missing: Vec<_> = names
        .filter(|name| !proof.contains(&format!("{name}(")) && !NO_VERBS.contains(name))
        .map(str::to_owned)
        .collect();
    missing.sort();
    missing.dedup();
    missing
}

/// The sources of a folder without their tests and without JSON.
fn text_of(folder: &str) -> Outcome<String> {
    let mut text = String::new();
    for file in files::walk(&project::at(folder))? {
        if !file.parent().is_some_and(|folder| folder.ends_with("json")) {
            let whole = files::read(&file)?;
            text.push_str(whole.split("#[cfg(test)]\nmod tests").next().unwrap_or_default());
        }
    }
    Ok(text)
}

/// What the purity crate imports and exports, with one of its control features or none.
pub fn linked(control: Option<&str>) -> Outcome<(Vec<String>, Vec<String>)> {
    tools::rust_target("wasm32v1-none")?;
    built(control).done()?;
    let folder = project::target().join("purity/wasm32v1-none/release");
    weight::interface(&folder.join("leafid_purity.wasm"))
}

/// The crate for a target without an allocator, with one of its control features or none.
pub fn built(control: Option<&str>) -> Run {
    let features = control.map(|control| ["--features", control]);
    cargo("build").args(["--target", "wasm32v1-none"]).args(features.into_iter().flatten())
}

/// Cargo on that crate.
pub fn cargo(verb: &str) -> Run {
    Run::cargo(&[verb, "--quiet", "--release", "--locked", "--manifest-path", CRATE])
        .env("CARGO_TARGET_DIR", project::target().join("purity"))
}

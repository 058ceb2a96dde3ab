//! Proves that the core and the wire without JSON are pure: by what they link to.

use super::weight;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Targets without an operating system or `std`; the second has no 64-bit atomics.
const BARE: &[&str] = &["wasm32v1-none", "thumbv7em-none-eabi"];

/// A crate, in a workspace of its own, that exports every public verb of both as `extern "C"`.
pub const CRATE: &str = "tests/purity/Cargo.toml";

/// The least number of exported verbs: one dropped by the linker would prove nothing.
const VERBS: usize = 120;

/// Public functions that are plain getters.
const NO_VERBS: &[&str] = &["until", "get", "bytes"];

/// Builds both for the bare targets.
pub fn bare_targets() -> Outcome<String> {
    for target in BARE {
        tools::rust_target(target)?;
        let pure = ["-p", "leafid-core", "-p", "leafid-wire", "--no-default-features"];
        Run::cargo(&["build", "--locked", "--lib", "--target", target]).args(pure).done()?;
    }
    Ok(format!("builds for {}", BARE.join(" and ")))
}

/// Checks that the optimiser removed every panic, and that nothing asks the host for anything; memory
/// cannot be asked for, since there is no allocator to link with.
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

/// The text of a folder's sources, without tests and JSON.
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

/// The imports and exports of the purity crate, with one of its control features or none.
pub fn linked(control: Option<&str>) -> Outcome<(Vec<String>, Vec<String>)> {
    tools::rust_target("wasm32v1-none")?;
    built(control).done()?;
    let folder = project::target().join("purity/wasm32v1-none/release");
    weight::interface(&folder.join("leafid_purity.wasm"))
}

/// Builds the crate for a target without an allocator, with one of its control features or none.
pub fn built(control: Option<&str>) -> Run {
    let features = control.map(|control| ["--features", control]);
    cargo("build").args(["--target", "wasm32v1-none"]).args(features.into_iter().flatten())
}

/// Runs cargo on the purity crate.
pub fn cargo(verb: &str) -> Run {
    Run::cargo(&[verb, "--quiet", "--release", "--locked", "--manifest-path", CRATE])
        .env("CARGO_TARGET_DIR", project::target().join("purity"))
}

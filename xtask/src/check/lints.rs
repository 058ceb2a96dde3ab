//! Formatting and clippy, with every warning an error.

use super::purity;
use crate::process::Run;
use crate::{Outcome, tools};

/// The members for wasm, in the combinations that are compiled.
const WASM: &[&[&str]] = &[
    &["-p", "leafid-wasm-border", "-p", "leafid-wasm-engine", "-p", "leafid-wasm-registry"],
    &["-p", "leafid-wasm-public", "-p", "leafid-component", "-p", "leafid-example-store"],
    &["-p", "leafid-wasm-engine", "--features", "state"],
    &["-p", "leafid-wasm-registry", "--features", "sql"],
    &["-p", "leafid-component", "--features", "pure"],
    &["-p", "leafid-component", "--features", "public"],
];

pub fn fmt() -> Outcome<String> {
    Run::cargo(&["fmt", "--all", "--check"]).done()?;
    Run::cargo(&["fmt", "--all", "--check", "--manifest-path", purity::CRATE]).done()?;
    Ok("rustfmt has nothing to change".to_owned())
}

/// Runs clippy on all targets of all members.
pub fn clippy() -> Outcome<String> {
    Run::cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--keep-going"])
        .args(["--", "-D", "warnings"])
        .done()?;
    // Code for wasm alone is only linted for that target.
    tools::rust_target("wasm32-unknown-unknown")?;
    for members in WASM {
        Run::cargo(&["clippy", "--locked", "--target", "wasm32-unknown-unknown"])
            .args(*members)
            .args(["--", "-D", "warnings"])
            .done()?;
    }
    tools::rust_target("wasm32v1-none")?;
    purity::cargo("clippy").args(["--target", "wasm32v1-none", "--", "-D", "warnings"]).done()?;
    Ok("no warning in the workspace".to_owned())
}

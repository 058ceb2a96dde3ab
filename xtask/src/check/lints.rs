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

/// The system on which no test runs.
const WINDOWS: &str = "x86_64-pc-windows-gnu";

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
    tools::rust_target(WINDOWS)?;
    // Lints need no result of the C compilers.
    Run::cargo(&["clippy", "--locked", "--target", WINDOWS, "-p", "leafid-server"])
        .env("CC_x86_64_pc_windows_gnu", "true")
        .env("AR_x86_64_pc_windows_gnu", "true")
        .args(["--", "-D", "warnings"])
        .done()?;
    tools::rust_target("wasm32v1-none")?;
    purity::cargo("clippy").args(["--target", "wasm32v1-none", "--", "-D", "warnings"]).done()?;
    Ok("no warning in the workspace".to_owned())
}

//! Formatting and clippy, with every warning an error.

use super::purity;
use crate::process::Run;
use crate::{Outcome, tools};

/// The members for wasm, as they are compiled there.
const WASM: &[&[&str]] = &[
    &["-p", "leafid-wasm-border", "-p", "leafid-wasm-engine", "-p", "leafid-wasm-registry"],
    &["-p", "leafid-wasm-public", "-p", "leafid-component", "-p", "leafid-example-store"],
    &["-p", "leafid-wasm-registry", "--features", "sql"],
    &["-p", "leafid-component", "--features", "pure"],
    &["-p", "leafid-component", "--features", "public"],
];

/// Every Rust file is as rustfmt would write it.
pub fn fmt() -> Outcome<String> {
    Run::cargo(&["fmt", "--all", "--check"]).done()?;
    Run::cargo(&["fmt", "--all", "--check", "--manifest-path", purity::CRATE]).done()?;
    Ok("rustfmt has nothing to change".to_owned())
}

/// No lint speaks up in any target of any member.
pub fn clippy() -> Outcome<String> {
    Run::cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--keep-going"])
        .args(["--", "-D", "warnings"])
        .done()?;
    // What is compiled for wasm alone is seen from there alone.
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

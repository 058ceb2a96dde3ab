//! Formatting and clippy, with every warning an error.

use super::purity;
use crate::process::Run;
use crate::{Outcome, tools};

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
    // What is compiled for the edge alone is seen from there alone.
    tools::rust_target("wasm32-unknown-unknown")?;
    Run::cargo(&["clippy", "--locked", "-p", "leafid-wasm", "--target", "wasm32-unknown-unknown"])
        .args(["--", "-D", "warnings"])
        .done()?;
    tools::rust_target("wasm32v1-none")?;
    purity::cargo("clippy", None)
        .args(["--target", "wasm32v1-none", "--", "-D", "warnings"])
        .done()?;
    Ok("no warning in the workspace".to_owned())
}

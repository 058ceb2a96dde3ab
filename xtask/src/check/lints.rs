//! Formatting and clippy, with every warning an error.

use crate::Outcome;
use crate::process::Run;

/// Every Rust file is as rustfmt would write it.
pub fn fmt() -> Outcome<String> {
    Run::cargo(&["fmt", "--all", "--check"]).done()?;
    Ok("rustfmt has nothing to change".to_owned())
}

/// No lint speaks up in any target of any member.
pub fn clippy() -> Outcome<String> {
    Run::cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
        .done()?;
    Ok("no warning in the workspace".to_owned())
}

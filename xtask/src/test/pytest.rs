//! What pytest says at its end.

use crate::Outcome;
use crate::process::Said;

/// The closing line of pytest, where it was content.
pub fn closing_line(said: &Said) -> Outcome<String> {
    let mut lines = said.stdout.lines().rev().map(|line| line.trim_matches(['=', ' ']));
    let line = lines.find(|line| !line.is_empty()).unwrap_or("nothing was said").to_owned();
    if said.success && line.contains(" passed") { Ok(line) } else { Err(format!("pytest: {line}")) }
}

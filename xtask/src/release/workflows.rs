//! The workflows, as their linter reads them.

use super::programs;
use crate::{Outcome, files, project};

const FOLDER: &str = ".github/workflows";

/// All of them.
pub fn look() -> Outcome<String> {
    let all = files::ending(&project::at(FOLDER), ".yml");
    if all.is_empty() {
        return Err(format!("no workflow in `{FOLDER}`"));
    }
    programs::actionlint()?.args(&all).done()?;
    Ok(format!("{} workflows", all.len()))
}

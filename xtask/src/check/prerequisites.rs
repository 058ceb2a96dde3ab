//! The README's table of prerequisites is the one that every verb looks at.

use crate::prerequisites::{Prerequisite, TABLE};
use crate::{Outcome, files, project};

/// Every row.
pub fn check() -> Outcome<String> {
    let readme = files::read(&project::at("README.md"))?;
    match missing(&readme) {
        None => Ok(format!("{} rows, as in the README", TABLE.len())),
        Some(row) => Err(format!("README.md lacks this row of its prerequisites:\n{row}")),
    }
}

/// The first row that a README lacks.
pub fn missing(readme: &str) -> Option<String> {
    TABLE.iter().map(Prerequisite::row).find(|row| !readme.lines().any(|line| line == row))
}

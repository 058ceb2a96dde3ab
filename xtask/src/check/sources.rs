//! The project's own files: those that git has or would take.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, project};

/// Every file of the checkout that is not ignored, relative to its root, in order.
pub fn all() -> Outcome<Vec<PathBuf>> {
    let listed = Run::new("git")
        .quiet()
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .output()?;
    let names = listed.split('\0').filter(|name| !name.is_empty());
    let mut files: Vec<_> =
        names.map(PathBuf::from).filter(|path| project::at(path).is_file()).collect();
    files.sort();
    if files.len() < 20 {
        return Err(format!("git lists {} files here: is this the whole checkout?", files.len()));
    }
    Ok(files)
}

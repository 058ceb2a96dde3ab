//! No file of ours is longer than a reader can hold.

use std::path::Path;

use super::sources;
use crate::{Outcome, files, project};

/// The longest that a file may be, in lines.
const LONGEST: usize = 450;

/// What is counted: sources and pages; data and lock files are not read from top to bottom.
const KINDS: &[&str] = &["rs", "py", "pyi", "ts", "js", "mjs", "cjs", "sh", "toml", "md", "html"];

/// Every source file of the checkout.
pub fn check() -> Outcome<String> {
    let mut counted = 0;
    let mut long = Vec::new();
    for path in sources::all()?.iter().filter(|path| is_counted(path)) {
        let lines = files::read(&project::at(path))?.lines().count();
        counted += 1;
        long.extend(too_long(path, lines));
    }
    if long.is_empty() {
        Ok(format!("{counted} files, none above {LONGEST} lines"))
    } else {
        Err(long.join("\n"))
    }
}

/// The complaint about a file of so many lines.
pub fn too_long(path: &Path, lines: usize) -> Option<String> {
    (lines > LONGEST)
        .then(|| format!("`{}` has {lines} lines, above {LONGEST}: divide it", path.display()))
}

fn is_counted(path: &Path) -> bool {
    let kind = path.extension().unwrap_or_default().to_string_lossy();
    path.starts_with(".ci") || KINDS.contains(&&*kind)
}

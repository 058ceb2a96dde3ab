//! Whether files have changed since they were read.

use std::path::PathBuf;
use std::time::SystemTime;

/// Files, as they were when they were looked at last.
#[derive(Debug)]
pub struct Fresh {
    files: Vec<(PathBuf, Look)>,
}

/// What tells that a file was written or replaced: when, how long, and, on Unix, which one.
type Look = Option<(SystemTime, u64, u64)>;

impl Fresh {
    /// These files, as they are now: to be asked before they are read.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Fresh {
        let files = paths.into_iter().map(|path| {
            let look = look(&path);
            (path, look)
        });
        Fresh { files: files.collect() }
    }

    /// Whether one of them is another than at the last call.
    pub fn changed(&mut self) -> bool {
        let mut changed = false;
        for (path, seen) in &mut self.files {
            let now = look(path);
            changed |= std::mem::replace(seen, now) != now;
        }
        changed
    }
}

fn look(path: &std::path::Path) -> Look {
    let found = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok()?, found.len(), number))
}

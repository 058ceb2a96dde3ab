//! Whether files have changed since they were read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use leafid_core::Code;
use leafid_store::problem::Problem;

/// A file that a server reads again has at most this many bytes.
const LARGEST: u64 = 1024 * 1024;

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

    /// Whether they can be read again and reading ends: a pipe might never, and neither would any
    /// later look at a file then; a device might fill the memory.
    ///
    /// # Errors
    /// `REQUEST_INVALID`. A file that is missing is none: who reads it says so.
    pub fn ends(&self) -> Result<(), Problem> {
        for (path, _) in &self.files {
            let Ok(found) = std::fs::metadata(path) else { continue };
            let why = match found.is_file() {
                true if found.len() <= LARGEST => continue,
                true => format!("it has {} bytes, and may have {LARGEST}", found.len()),
                false => "it is no regular file, and only those are read again".to_owned(),
            };
            let detail = format!("`{}`: {why}", path.display());
            return Err(Problem::new(Code::RequestInvalid, detail));
        }
        Ok(())
    }
}

fn look(path: &Path) -> Look {
    let found = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok()?, found.len(), number))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_need_not_end_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "text").unwrap();
        let mut fresh = Fresh::new([path.clone()]);
        fresh.ends().unwrap();
        std::fs::remove_file(&path).unwrap();
        fresh.ends().expect("who reads it says that it is missing");
        for (becomes, word) in [("/dev/zero", "regular"), ("/", "regular")] {
            std::os::unix::fs::symlink(becomes, &path).unwrap();
            assert!(fresh.changed());
            let refused = fresh.ends().unwrap_err();
            assert_eq!(refused.code, Code::RequestInvalid);
            assert!(refused.detail.contains(word), "{refused}");
            std::fs::remove_file(&path).unwrap();
        }
        std::fs::File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let refused = fresh.ends().unwrap_err();
        assert!(refused.detail.contains("1048577 bytes"), "{refused}");
    }
}

//! Contents of files that are read again when the files change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use leafid_core::Code;
use leafid_store::problem::Problem;

use crate::host;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// A value read from some files, and read again when they change.
#[derive(Debug)]
pub struct Fresh<T> {
    files: Mutex<Vec<(PathBuf, Look)>>,
    current: RwLock<Arc<T>>,
}

/// Tells whether a file was written or replaced: its time, length and inode.
type Look = Option<(SystemTime, u64, u64)>;

impl<T> Fresh<T> {
    pub fn open(
        paths: impl IntoIterator<Item = PathBuf>,
        read: impl FnOnce() -> Result<T, Problem>,
    ) -> Result<Fresh<T>, Problem> {
        let files = paths.into_iter().map(|path| {
            let look = look(&path);
            (path, look)
        });
        let files = Mutex::new(files.collect());
        Ok(Fresh { files, current: RwLock::new(Arc::new(read()?)) })
    }

    pub fn current(&self) -> Arc<T> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again if one has changed, or `in_any_case`; says whether it did. If they cannot be
    /// used, the last good value stays.
    pub fn reload(
        &self,
        in_any_case: bool,
        read: impl FnOnce() -> Result<T, Problem>,
    ) -> Result<bool, Problem> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = in_any_case;
        for (path, seen) in files.iter_mut() {
            let now = look(path);
            changed |= std::mem::replace(seen, now) != now;
        }
        if changed {
            files.iter().try_for_each(|(path, _)| ends(path))?;
            let current = Arc::new(read()?);
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        }
        Ok(changed)
    }
}

/// Refuses anything but regular files: reading a pipe may block for ever, reading a device may fill the
/// memory. A missing file is reported by the read itself.
fn ends(path: &Path) -> Result<(), Problem> {
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    let why = match found.is_file() {
        true if found.len() <= LARGEST => return Ok(()),
        true => format!("it has {} bytes, and may have {LARGEST}", found.len()),
        false => "it is no regular file, and only those are read again".to_owned(),
    };
    Err(Problem::new(Code::RequestInvalid, format!("`{}`: {why}", path.display())))
}

fn look(path: &Path) -> Look {
    let found = std::fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len(), host::inode(&found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_need_not_end_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "text").unwrap();
        let fresh = Fresh::open([path.clone()], || Ok(1)).unwrap();
        assert!(!fresh.reload(false, || Ok(2)).unwrap());
        std::fs::remove_file(&path).unwrap();
        let missing = fresh.reload(false, || Err(Problem::new(Code::Internal, "missing")));
        assert_eq!(missing.unwrap_err().code, Code::Internal, "who reads it says so");
        for becomes in ["/dev/zero", "/"] {
            std::os::unix::fs::symlink(becomes, &path).unwrap();
            let refused = fresh.reload(false, || Ok(3)).unwrap_err();
            assert_eq!(refused.code, Code::RequestInvalid);
            assert!(refused.detail.contains("regular"), "{refused}");
            std::fs::remove_file(&path).unwrap();
        }
        std::fs::File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let refused = fresh.reload(true, || Ok(4)).unwrap_err();
        assert!(refused.detail.contains("1048577 bytes"), "{refused}");
        assert_eq!(*fresh.current(), 1, "what was read stays");
        std::fs::write(&path, "more").unwrap();
        assert!(fresh.reload(false, || Ok(5)).unwrap());
        assert_eq!(*fresh.current(), 5);
    }
}

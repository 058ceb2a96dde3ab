//! Opens the two files: the state and its lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use leafid_core::Code;
use rustix::fs::OFlags;

use crate::Problem;
use crate::networks::{self, FileSystem};

/// Attempts to open a lock file that another process removes at the same time.
const ATTEMPTS: usize = 4;
/// File systems of programs: some lie on a local disk, but which do is not known.
const FUSE: FileSystem = (0x6573_5546, "FUSE");

/// The path of a state file's lock.
pub fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Opens or creates a file: a regular one with one name, accessible to its owner alone.
pub fn open(path: &Path) -> Result<File, Problem> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
    let file = how.open(path).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => {
            Problem::invalid(path, "is a symbolic link: pass the path of the file itself")
        }
        Some(libc::EISDIR) => Problem::invalid(path, "is a folder: pass the path of a file in it"),
        _ => Problem::of(path, "opened", &error),
    })?;
    let said = |error| Problem::of(path, "looked at", &error);
    let facts = file.metadata().map_err(said)?;
    if !facts.is_file() {
        return Err(Problem::invalid(path, "is no plain file: pass another path"));
    }
    if facts.nlink() != 1 {
        let is = format!("has {} names: pass a path that has one", facts.nlink());
        return Err(Problem::invalid(path, is));
    }
    refuse_network(path, &file)?;
    if facts.mode() & 0o077 != 0 {
        // It has the key of the lease.
        let own = std::fs::Permissions::from_mode(0o600);
        file.set_permissions(own).map_err(|error| Problem::of(path, "made private", &error))?;
    }
    Ok(file)
}

fn refuse_network(path: &Path, file: &File) -> Result<(), Problem> {
    let facts = rustix::fs::fstatfs(file).map_err(|error| {
        Problem::of(path, "looked at", &io::Error::from_raw_os_error(error.raw_os_error()))
    })?;
    match networks::name(&facts, &[FUSE]) {
        Some(name) => {
            let is = format!(
                "lies on a file system ({name}) whose locks cannot be trusted: pass a path on a \
                 local disk"
            );
            Err(Problem::invalid(path, is))
        }
        None => Ok(()),
    }
}

/// Locks a state file for the life of this process.
pub fn lock(path: &Path) -> Result<File, Problem> {
    let lock = lock_path(path);
    for _ in 0..ATTEMPTS {
        let file = open(&lock)?;
        match file.try_lock() {
            Ok(()) if is_at(&lock, &file) => return Ok(file),
            // It was removed between the two: another process would lock another file.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!(
                    "the state file `{}` is locked by another process: give each process a state \
                     file of its own, or pass a folder",
                    path.display()
                );
                return Err(Problem { code: Code::StateLocked, message });
            }
            Err(TryLockError::Error(error)) => return Err(Problem::of(&lock, "locked", &error)),
        }
    }
    Err(Problem::invalid(&lock, "is removed again and again: leave it alone"))
}

/// Whether a path still leads to the file that was opened.
pub fn is_at(path: &Path, file: &File) -> bool {
    let seen = std::fs::symlink_metadata(path).map(|facts| (facts.dev(), facts.ino())).ok();
    let held = file.metadata().map(|facts| (facts.dev(), facts.ino())).ok();
    seen.is_some() && seen == held
}

//! The journal that the processes of a machine share (PROTOCOL R42): what stores that they open themselves
//! granted them, so that they notice when one of these went back. Each store has a file, apart from it. It is opened
//! for each note, so a process keeps nothing of it that a forked child could inherit.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf, absolute};
use std::thread::sleep;
use std::time::{Duration, Instant};

use leafid_core::{Code, Token};
use leafid_turn::hex;
use leafid_turn::journal::{self, Grants};
use rustix::fs::{Access, access};

use crate::{Problem, files, fork};

/// The start of each file: a format name, and the version of its lines.
const FIRST: &str = "leafid-hosts 1";
/// A file of more than this many bytes is rewritten, if most of its lines no longer count.
const LARGE: usize = 256 * 1024;
/// The longest wait for another process that notes something.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

/// The absolute path of a folder for journals, which this process may write.
///
/// # Errors
/// `STATE_INVALID` if there is none.
pub fn folder(given: &Path) -> std::result::Result<PathBuf, Problem> {
    let is_there = || {
        let path = absolute(given)?;
        fs::read_dir(&path)?;
        access(&path, Access::WRITE_OK | Access::EXEC_OK)?;
        Ok(path)
    };
    is_there().map_err(|error: Error| {
        let (path, cure) = (given.display(), "name one that exists and that this user can write");
        let message = format!("the folder `{path}` of journals cannot be used: {error}; {cure}");
        Problem { code: Code::StateInvalid, message }
    })
}

/// Notes what a request changed or was granted, once that is durable in the store and before it is answered. If
/// that begins below what was noted before, nothing is noted, and the rows are to be raised to the text that this
/// gives; then the request is decided again.
///
/// # Errors
/// `STORE_UNAVAILABLE` if the journal cannot be read or written.
pub fn note(
    folder: &Path,
    store: Token,
    changes: &str,
) -> std::result::Result<Option<String>, Problem> {
    let path = folder.join(format!("{}.hosts", hex(store)));
    lock(&path).and_then(|lock| noted(&path, &lock.0, store, changes)).map_err(|error| {
        let message = format!(
            "the journal `{}` cannot be used: {error}; nothing is granted until it can, as a restore of the \
             store would not be noticed",
            path.display()
        );
        Problem { code: Code::StoreUnavailable, message }
    })
}

fn noted(path: &Path, mut lock: &File, store: Token, changes: &str) -> Result<Option<String>> {
    let (changes, grants) = journal::read(changes).map_err(|()| ErrorKind::InvalidInput)?;
    let first = format!("{FIRST} {}\n", hex(store));
    let begun = lock.metadata()?.len() > 0;
    let mut content = Vec::new();
    let file = match File::options().read(true).append(true).open(path) {
        Ok(mut file) => {
            file.read_to_end(&mut content)?;
            Some(file)
        }
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) if begun => {
            let lost = "it was removed: put that very file back, or repair the store, and remove its lock, too";
            return Err(Error::new(ErrorKind::NotFound, lost));
        }
        Err(_) => None,
    };
    if file.is_some() && !content.starts_with(first.as_bytes()) {
        let other = format!("it does not begin with `{}`: move it away", first.trim_end());
        return Err(Error::new(ErrorKind::InvalidData, other));
    }
    let content = String::from_utf8_lossy(&content);
    let mut known = Grants::default();
    for said in content.lines().filter_map(journal::unseal) {
        known.note(said.parse().map_err(|()| ErrorKind::InvalidData)?);
    }
    if grants && !changes.iter().all(|grant| known.admits(grant)) {
        return Ok(Some(journal::text(&known.lost(&changes), false)));
    }
    let news = changes.into_iter().filter(|change| known.note(*change));
    let news: String = news.map(|change| journal::seal(&change.to_string())).collect();
    let is_grown = content.len() > LARGE && content.lines().count() > 4 * known.all().len();
    match file.filter(|_| !is_grown) {
        Some(mut file) => {
            // A crash cut off what stands there.
            let line_break = if content.ends_with('\n') { "" } else { "\n" };
            file.write_all(format!("{line_break}{news}").as_bytes())?;
            file.sync_data()?;
        }
        None => {
            let lines = known.all().map(|change| journal::seal(&change.to_string()));
            let part = path.with_extension("part");
            let mut file = private().write(true).truncate(true).open(&part)?;
            file.write_all((first + &lines.collect::<String>()).as_bytes())?;
            file.sync_all()?;
            fs::rename(&part, path)?;
            File::open(path.parent().unwrap_or(path))?.sync_all()?;
        }
    }
    if !begun {
        lock.write_all(b"begun\n")?;
        lock.sync_all()?;
    }
    Ok(None)
}

/// The lock of a file, which is in a file of its own because that one is replaced.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        fork::closed(self.0.as_raw_fd());
        // Also if a forked child has a copy. Closing it unlocks it, too.
        let _ = self.0.unlock();
    }
}

fn lock(path: &Path) -> Result<Lock> {
    let (path, end) = (files::lock_path(path), Instant::now() + PATIENCE);
    loop {
        let lock = Lock(private().write(true).truncate(false).open(&path)?);
        // Else a child would keep it locked if this process is killed.
        fork::close_in_children(lock.0.as_raw_fd());
        match lock.0.try_lock() {
            Ok(()) if files::is_at(&path, &lock.0) => return Ok(lock),
            Err(TryLockError::Error(error)) => return Err(error),
            _ if Instant::now() >= end => {
                return Err(Error::new(ErrorKind::TimedOut, "another process keeps it locked"));
            }
            _ => sleep(PAUSE),
        }
    }
}

/// Options for files that only this user may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

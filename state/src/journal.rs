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
use leafid_turn::journal::{self, Grants, Kind};
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
/// that begins below what was noted before, or a holder is refused what was noted, nothing is noted, and the rows
/// are to be raised to the text that this gives; then the request is decided again.
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
    let (changes, kind) = journal::read(changes).ok_or(ErrorKind::InvalidInput)?;
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
        known.learn(said.parse().map_err(|()| ErrorKind::InvalidData)?);
    }
    let lost = known.lost(&changes, kind);
    if !lost.is_empty() {
        return Ok(Some(journal::text(&lost, Kind::Changes)));
    }
    let news = changes.iter().filter(|change| known.is_news(change, kind));
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
            file.write_all((first + &lines.collect::<String>() + &news).as_bytes())?;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    use super::*;

    const STORE: Token = Token::new([7; 16]);
    /// The folder of a process of the test that follows.
    const SHARED: &str = "LEAFID_TEST_JOURNAL";

    fn granted(folder: &Path, from: u64, end: u64) -> std::result::Result<Option<String>, Problem> {
        note(folder, STORE, &format!("Grants\n{from} tag {end} orders"))
    }

    fn file(folder: &Path) -> PathBuf {
        folder.join(format!("{}.hosts", hex(STORE)))
    }

    /// Grants each number that the journal does not know, as processes that all begin with a copy of a store.
    fn count_up(folder: &Path) -> usize {
        (0..400).filter(|n| granted(folder, *n, n + 1).unwrap().is_none()).count()
    }

    #[test]
    fn two_processes_and_two_threads_share_a_journal() {
        if let Ok(folder) = std::env::var(SHARED) {
            println!("\ngranted {}", count_up(Path::new(&folder)));
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let name = "two_processes_and_two_threads_share_a_journal";
        let children: Vec<_> = [(); 2]
            .into_iter()
            .map(|()| {
                let mut child = Command::new(std::env::current_exe().unwrap());
                child.args([name, "--nocapture"]).env(SHARED, folder.path());
                child.stdout(std::process::Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let mut granted = std::thread::scope(|scope| {
            let other = scope.spawn(|| count_up(folder.path()));
            count_up(folder.path()) + other.join().unwrap()
        });
        for child in children {
            let said = child.wait_with_output().unwrap();
            let said = String::from_utf8(said.stdout).unwrap();
            let count = said.lines().find_map(|line| line.strip_prefix("granted ")).unwrap();
            granted += count.parse::<usize>().unwrap();
        }
        let content = fs::read_to_string(file(folder.path())).unwrap();
        let lines: BTreeSet<_> = content.lines().filter_map(journal::unseal).collect();
        println!("{granted} granted by four");
        assert!(granted > 0 && lines.len() == granted, "{granted} granted, {content}");
    }

    #[test]
    fn a_line_that_was_cut_off_counts_for_nothing_and_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        granted(folder.path(), 1, 10).unwrap();
        let content = fs::read(file(folder.path())).unwrap();
        fs::write(file(folder.path()), &content[..content.len() - 5]).unwrap();
        assert_eq!(granted(folder.path(), 1, 20).unwrap(), None);
        assert_eq!(
            granted(folder.path(), 1, 30).unwrap().as_deref(),
            Some("Changes\n1 tag 20 orders")
        );
    }

    #[test]
    fn a_file_that_has_grown_is_rewritten_with_what_counts() {
        let folder = tempfile::tempdir().unwrap();
        granted(folder.path(), 1, 10).unwrap();
        let mut content = fs::read_to_string(file(folder.path())).unwrap();
        while content.len() <= LARGE {
            content += &journal::seal("10 tag 20 orders");
        }
        fs::write(file(folder.path()), &content).unwrap();
        assert_eq!(granted(folder.path(), 20, 30).unwrap(), None);
        let content = fs::read_to_string(file(folder.path())).unwrap();
        // The first line, what was known, and the note.
        assert_eq!(content.lines().count(), 3, "{content}");
        assert_eq!(
            granted(folder.path(), 29, 31).unwrap().as_deref(),
            Some("Changes\n20 tag 30 orders")
        );
    }

    #[test]
    fn nothing_is_noted_in_a_file_that_is_not_this_journal() {
        let folder = tempfile::tempdir().unwrap();
        let other = Token::new([8; 16]);
        granted(folder.path(), 1, 10).unwrap();
        fs::rename(file(folder.path()), folder.path().join(format!("{}.hosts", hex(other))))
            .unwrap();
        let mixed = note(folder.path(), other, "Changes\n1 tag 10 orders").unwrap_err();
        assert!(mixed.message.contains("does not begin with `leafid-hosts 1 0808"), "{mixed}");
        let removed = granted(folder.path(), 10, 20).unwrap_err();
        assert_eq!(removed.code, Code::StoreUnavailable);
        assert!(removed.message.contains("it was removed: put that very file back"), "{removed}");
        fs::remove_file(files::lock_path(&file(folder.path()))).unwrap();
        assert_eq!(granted(folder.path(), 10, 20).unwrap(), None);
    }

    #[test]
    fn a_folder_must_be_there() {
        let there = tempfile::tempdir().unwrap();
        assert_eq!(folder(there.path()), Ok(there.path().to_owned()));
        fs::write(there.path().join("file"), "").unwrap();
        for (name, why) in [("none", "No such file"), ("file", "Not a directory")] {
            let missing = folder(&there.path().join(name)).unwrap_err();
            assert_eq!(missing.code, Code::StateInvalid);
            assert!(missing.message.contains(why), "{missing}");
        }
        let unusable = there.path().join(format!("{}.hosts.lock", hex(STORE)));
        fs::create_dir(unusable).unwrap();
        assert_eq!(granted(there.path(), 1, 2).unwrap_err().code, Code::StoreUnavailable);
    }
}

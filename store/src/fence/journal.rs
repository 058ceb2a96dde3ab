//! The journal: a file apart from the store with the bounds that a server knows. Nothing is granted beyond
//! them before higher ones are on the disk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use leafid_core::{StoreTime, Token};
use leafid_turn::register::Beat;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::bounds::{Bounds, Note};
use super::file::{Head, Log};
use crate::clock::{Clock, SystemClock};
use crate::problem::Problem;

/// How long one write may take before that counts as a failure.
const HANGS: Duration = Duration::from_secs(5);

/// A server's journal of one store.
#[derive(Debug)]
pub struct Journal {
    /// The path of its file.
    pub path: PathBuf,
    /// Its content when it was opened.
    pub found: Bounds,
    /// The servers of journals in its folder that it has taken over, which do not come back, and their last
    /// beats.
    pub taken: Vec<(Token, Beat)>,
    /// Its state, for `/readyz` and the metrics.
    pub sight: Sight,
    log: Arc<Mutex<Log>>,
}

/// The state of a journal.
#[derive(Clone, Debug)]
pub struct Sight {
    /// When the store's journal was begun, by the server's clock.
    pub since: StoreTime,
    /// Whether it is on another disk than the store.
    pub apart: bool,
    written: Arc<AtomicBool>,
}

impl Sight {
    /// The state of a journal that was just opened.
    pub fn new(since: StoreTime, apart: bool) -> Sight {
        Sight { since, apart, written: Arc::new(AtomicBool::new(true)) }
    }

    /// Whether the last write succeeded.
    pub fn is_written(&self) -> bool {
        self.written.load(Ordering::Relaxed)
    }
}

impl Journal {
    /// Opens an unused journal of the store at this place, or begins one; with `believe_clock` without its windows,
    /// whose times are of a clock that was wrong. The folder must exist.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH` if a file with the name of a journal is none, `STORE_UNAVAILABLE` if it cannot be
    /// read or written.
    pub fn open(
        folder: &Path,
        store: Token,
        place: String,
        believe_clock: bool,
    ) -> Result<Journal, Problem> {
        let apart = is_apart(folder, &place);
        let head = Head { store, since: SystemClock.wall(), place };
        let (log, taken) = Log::open(folder, head, believe_clock)?;
        let (path, found) = (log.path.clone(), log.bounds().clone());
        let sight = Sight::new(log.head.since, apart);
        Ok(Journal { path, found, taken, sight, log: Arc::new(Mutex::new(log)) })
    }

    /// Adds notes, and waits until they are on the disk.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if they cannot be written.
    pub async fn note(&self, notes: Vec<Note>) -> Result<(), Problem> {
        let log = Arc::clone(&self.log);
        let added = spawn_blocking(move || locked(&log).add(notes));
        let done = match timeout(HANGS, added).await {
            Ok(Ok(done)) => done.map_err(|error| error.to_string()),
            Ok(Err(_)) | Err(_) => Err(format!("the disk has not answered for {HANGS:?}")),
        };
        let was_written = self.sight.written.swap(done.is_ok(), Ordering::Relaxed);
        match &done {
            Err(why) if was_written => tracing::error!(
                "the journal cannot be written: {why}; nothing is granted until it can"
            ),
            Ok(()) if !was_written => tracing::info!("the journal is written again"),
            _ => {}
        }
        done.map_err(|why| {
            Problem::unavailable(format!(
                "the journal `{}` cannot be written: {why}; nothing is granted until it can, as a restore \
                 would not be noticed, though a change may have been made: make room there, or start with \
                 another folder: --journal DIR",
                self.path.display()
            ))
        })
    }

    /// Removes the journals that this one has taken over.
    pub fn take_over(&self) {
        if let Err(error) = locked(&self.log).take_over() {
            tracing::warn!("a journal that was taken over cannot be removed: {error}");
        }
    }
}

fn locked(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a folder is on another disk than the store's file; a database counts as another disk.
fn is_apart(folder: &Path, place: &str) -> bool {
    let Some(file) = place.strip_prefix("sqlite:") else { return true };
    match (disk(folder), Path::new(file).parent().and_then(disk)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

#[cfg(unix)]
fn disk(folder: &Path) -> Option<u64> {
    std::fs::metadata(folder).ok().map(|found| std::os::unix::fs::MetadataExt::dev(&found))
}

#[cfg(not(unix))]
fn disk(folder: &Path) -> Option<std::ffi::OsString> {
    Some(folder.canonicalize().ok()?.components().next()?.as_os_str().to_owned())
}

#[cfg(test)]
mod tests {
    use leafid_core::Name;
    use leafid_turn::register::Line;

    use super::*;

    /// On a full disk the write fails; what was to be noted then is written later.
    #[test]
    fn a_journal_that_cannot_be_written_is_not_well_until_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = Token::new([7; 16]);
        let head = || Head { store, since: StoreTime::new(7), place: "a".to_owned() };
        let (mut log, _) = Log::open(folder.path(), head(), false).unwrap();
        let note = |end| vec![Note::Line(Line::tag(Name::tag("orders").unwrap(), end))];
        log.add(note(10)).unwrap();
        let path = log.path.clone();
        let whole = log.fill().unwrap();
        log.add(note(20)).unwrap_err();
        drop(whole);
        log.add(note(15)).unwrap();
        drop(log);
        let (_, known) = super::super::file::read(&path, store).unwrap().unwrap();
        assert_eq!(known.tags().map(|(_, end)| end).collect::<Vec<_>>(), [20]);
    }
}

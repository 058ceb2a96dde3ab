//! The journal: a file apart from the store with a server's notes of its writes. A note is in the file
//! within 100 ms, and synced a second later.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leafid_core::{StoreTime, Token};
use tokio::sync::oneshot;

use super::file::{Head, Log};
use super::witness::{Note, Witness};
use crate::clock::{Clock, SystemClock};
use crate::problem::Problem;
use crate::store::JournalSight;

/// How long notes are gathered before they are written together.
const WRITTEN: Duration = Duration::from_millis(100);
/// How long after a write the file is synced.
const SYNCED: Duration = Duration::from_secs(1);
/// How long writing may fail before nothing more is granted.
const FAILS: Duration = Duration::from_secs(1);
/// How long one write may take before that counts as a failure.
const HANGS: Duration = Duration::from_secs(5);

/// The journal of one server's writes to one store. Dropping it writes and syncs everything.
#[derive(Debug)]
pub struct Journal {
    /// The path of its file.
    pub path: PathBuf,
    /// The merged content of this store's journals when it was opened.
    pub found: Witness,
    since: StoreTime,
    apart: bool,
    state: Arc<Mutex<State>>,
    wake: Option<SyncSender<()>>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct State {
    pending: Pending,
    /// Since when notes wait to be written.
    since: Option<Instant>,
    failed: Option<(Instant, String)>,
    awaited: Vec<oneshot::Sender<Result<(), String>>>,
}

/// The notes to write: the last one of each line.
#[derive(Debug, Default)]
struct Pending {
    afresh: bool,
    noted: Witness,
}

impl Pending {
    fn put(&mut self, note: Note) {
        self.afresh |= note == Note::Afresh;
        self.noted.note(note);
    }

    fn notes(self) -> Vec<Note> {
        let afresh = self.afresh.then_some(Note::Afresh);
        afresh.into_iter().chain(self.noted.notes()).collect()
    }
}

impl Journal {
    /// Opens an unused journal of the store at this place, or begins one. The folder must exist.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH` if a file with the name of a journal is none, `STORE_UNAVAILABLE` if it cannot be
    /// read or written.
    pub fn open(folder: &Path, store: Token, place: String) -> Result<Journal, Problem> {
        let apart = is_apart(folder, &place);
        let (log, found) = Log::open(folder, Head { store, since: SystemClock.wall(), place })?;
        let (path, since) = (log.path.clone(), log.head.since);
        let (wake, woken) = sync_channel(1);
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let writer = std::thread::Builder::new()
            .name("leafid-journal".to_owned())
            .spawn(move || Writer::new(log, shared).run(&woken))
            .map_err(|error| Problem::unavailable(format!("no thread for the journal: {error}")))?;
        let (wake, writer) = (Some(wake), Some(writer));
        Ok(Journal { path, found, since, apart, state, wake, writer })
    }

    /// The state of the journal, for `/readyz` and the metrics.
    pub fn sight(&self) -> JournalSight {
        let written = state(&self.state).failed.is_none();
        JournalSight { written, since: self.since, apart: self.apart }
    }

    /// Checks that the journal keeps up with the grants.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if writing has failed for a second or hung for five.
    pub fn stands(&self) -> Result<(), Problem> {
        let state = state(&self.state);
        let why = match (&state.failed, state.since) {
            (Some((since, why)), _) if since.elapsed() >= FAILS => why.clone(),
            (None, Some(since)) if since.elapsed() >= HANGS => hangs(),
            _ => return Ok(()),
        };
        let path = self.path.display();
        Err(Problem::unavailable(format!(
            "the journal `{path}` cannot be written: {why}; nothing is granted until it can, as a \
             restore would not be noticed: make room there, or start with another folder: --journal DIR"
        )))
    }

    /// Adds notes.
    pub fn note(&self, notes: impl IntoIterator<Item = Note>) {
        let mut state = state(&self.state);
        state.since.get_or_insert_with(Instant::now);
        notes.into_iter().for_each(|note| state.pending.put(note));
        drop(state);
        self.wake();
    }

    /// Waits until all notes are on the disk.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the file cannot be written.
    pub async fn synced(&self) -> Result<(), Problem> {
        let (told, done) = oneshot::channel();
        state(&self.state).awaited.push(told);
        self.wake();
        self.writer.as_ref().inspect(|writer| writer.thread().unpark());
        let why = match tokio::time::timeout(HANGS, done).await {
            Ok(Ok(Ok(()))) => return Ok(()),
            Ok(Ok(Err(why))) => why,
            Ok(Err(_)) | Err(_) => hangs(),
        };
        let path = self.path.display();
        Err(Problem::unavailable(format!(
            "the store has made the change, and the journal `{path}` cannot be written: {why}; a \
             restored store may lack the change unnoticed: ask again when the journal can be written"
        )))
    }

    fn wake(&self) {
        // A full channel means that the writer is awake already and will write this, too.
        let _ = self.wake.as_ref().map(|wake| wake.try_send(()));
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(writer) = self.writer.take() {
            // If the thread panicked, it has reported that itself.
            let _ = writer.join();
        }
    }
}

fn state(shared: &Mutex<State>) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hangs() -> String {
    format!("the disk has not answered for {HANGS:?}")
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

struct Writer {
    log: Log,
    shared: Arc<Mutex<State>>,
    awaited: Vec<oneshot::Sender<Result<(), String>>>,
    /// Why the last write failed, if it did.
    behind: Option<String>,
}

impl Writer {
    fn new(log: Log, shared: Arc<Mutex<State>>) -> Writer {
        Writer { log, shared, awaited: Vec::new(), behind: None }
    }

    fn run(mut self, woken: &Receiver<()>) {
        let mut unsynced: Option<Instant> = None;
        loop {
            let waited = match unsynced {
                None => woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => woken.recv_timeout(SYNCED.saturating_sub(since.elapsed())),
            };
            match waited {
                Err(RecvTimeoutError::Disconnected) => {
                    self.write();
                    return self.sync();
                }
                Err(RecvTimeoutError::Timeout) => self.write(),
                Ok(()) => {
                    unsynced.get_or_insert_with(Instant::now);
                    if state(&self.shared).awaited.is_empty() {
                        std::thread::park_timeout(WRITTEN);
                    }
                    self.write();
                }
            }
            if !self.awaited.is_empty() || unsynced.is_some_and(|since| since.elapsed() >= SYNCED) {
                self.sync();
                // After a failure it tries again.
                let failed = state(&self.shared).failed.is_some();
                unsynced = failed.then(Instant::now);
            }
        }
    }

    fn write(&mut self) {
        let mut shared = state(&self.shared);
        self.awaited.append(&mut shared.awaited);
        let notes = std::mem::take(&mut shared.pending).notes();
        drop(shared);
        if notes.is_empty() {
            return;
        }
        let kept = notes.clone();
        self.behind = self.log.add(notes).err().map(|error| error.to_string());
        let mut shared = state(&self.shared);
        // Newer notes replace those that are put back.
        let since = std::mem::take(&mut shared.pending).notes();
        shared.since =
            (self.behind.is_some() || !since.is_empty()).then_some(shared.since).flatten();
        let again = kept.into_iter().filter(|_| self.behind.is_some());
        again.chain(since).for_each(|note| shared.pending.put(note));
        drop(shared);
        if let Some(why) = &self.behind {
            self.tell(&Err(why.clone()));
        }
    }

    fn sync(&mut self) {
        let done = self.log.sync().map_err(|error| error.to_string());
        // A full disk fails the write, a defective one the sync: only if both succeed is the journal well.
        let done = self.behind.clone().map_or(done, Err);
        self.tell(&done);
        for told in self.awaited.drain(..) {
            // The caller may be gone.
            let _ = told.send(done.clone());
        }
    }

    fn tell(&mut self, done: &Result<(), String>) {
        let mut shared = state(&self.shared);
        let failed = shared.failed.take();
        shared.failed = done.clone().err().map(|why| {
            if failed.is_none() {
                tracing::error!(
                    "the journal cannot be written: {why}; nothing is granted in a second from now, \
                     until it can"
                );
            }
            (failed.as_ref().map_or_else(Instant::now, |(since, _)| *since), why)
        });
        if failed.is_some() && shared.failed.is_none() {
            tracing::info!("the journal is written again");
        }
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::Name;

    use super::*;

    /// On a full disk the write fails, but the sync succeeds.
    #[test]
    fn a_journal_that_cannot_be_written_is_not_well_until_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = Token::new([7; 16]);
        let head = || Head { store, since: StoreTime::new(7), place: "a".to_owned() };
        let (log, _) = Log::open(folder.path(), head()).unwrap();
        let shared = Arc::<Mutex<State>>::default();
        let mut writer = Writer::new(log, Arc::clone(&shared));
        let orders = Name::tag("orders").unwrap();
        let note = |end| state(&shared).pending.put(Note::Tag(orders, end));
        let well = || state(&shared).failed.is_none();
        let asked = || {
            let (told, done) = oneshot::channel();
            state(&shared).awaited.push(told);
            done
        };
        note(10);
        let mut done = asked();
        writer.write();
        assert!(done.try_recv().is_err(), "it is not synced yet");
        writer.sync();
        assert!(well());
        assert_eq!(done.try_recv(), Ok(Ok(())));

        let whole = writer.log.fill().unwrap();
        for end in [20, 30] {
            note(end);
            let mut done = asked();
            writer.write();
            assert!(!well(), "written up to {end}");
            writer.sync();
            assert!(!well(), "synced up to {end}");
            assert!(done.try_recv().unwrap().is_err());
        }
        writer.log.empty(whole);
        writer.write();
        assert!(!well(), "not synced");
        writer.sync();
        assert!(well());
        drop(writer);
        let (_, found) = Log::open(folder.path(), head()).unwrap();
        assert_eq!(found.tags.values().copied().collect::<Vec<_>>(), [30]);
    }
}

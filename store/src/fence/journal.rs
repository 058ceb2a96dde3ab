//! The journal: what a server noted, in a file that is kept apart from the store. What is noted
//! stands in it within 100 ms, and is on the disk a second later.

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

/// After how long what is noted is written, together.
const WRITTEN: Duration = Duration::from_millis(100);
/// After how long what is written is synced.
const SYNCED: Duration = Duration::from_secs(1);
/// How long it may fail before nothing is granted any more.
const FAILS: Duration = Duration::from_secs(1);
/// How long a disk may take for one writing until that counts as a failure.
const HANGS: Duration = Duration::from_secs(5);

/// A journal that notes what one server writes to one store. When it is dropped, all of it is on the
/// disk.
#[derive(Debug)]
pub struct Journal {
    /// Where it lies.
    pub path: PathBuf,
    /// What it and the others of this store knew when it was opened.
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
    /// Since when something is to be written.
    since: Option<Instant>,
    failed: Option<(Instant, String)>,
    awaited: Vec<oneshot::Sender<Result<(), String>>>,
}

/// What is to be written: of each line the last.
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
    /// Opens a journal of the store that lies at this place, in a folder, which has to be there; begins
    /// one if no other server has left one.
    ///
    /// # Errors
    /// `SCHEMA_MISMATCH` if a file of its name is no journal, `STORE_UNAVAILABLE` if it cannot be read
    /// or written.
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

    /// Its state, for `/readyz` and the metrics.
    pub fn sight(&self) -> JournalSight {
        let written = state(&self.state).failed.is_none();
        JournalSight { written, since: self.since, apart: self.apart }
    }

    /// Tells whether it keeps up with what is granted.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where it has failed for a second, or hangs for five.
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

    /// Notes what was written.
    pub fn note(&self, notes: impl IntoIterator<Item = Note>) {
        let mut state = state(&self.state);
        state.since.get_or_insert_with(Instant::now);
        notes.into_iter().for_each(|note| state.pending.put(note));
        drop(state);
        self.wake();
    }

    /// Waits until all that was noted is on the disk.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` where it cannot be written.
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
        // Where it is awake already, it has this to write, too.
        let _ = self.wake.as_ref().map(|wake| wake.try_send(()));
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(writer) = self.writer.take() {
            // A thread that panicked has said so itself.
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

/// Whether a folder lies on another disk than the store's file; a database counts as another.
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
    /// Why the last try to write left something out, if it did.
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
                // What could not be written is tried again.
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
        // What was noted since counts for more.
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
        // A full disk takes no line, and a sick one takes it and does not keep it: it is well again
        // only when both are done.
        let done = self.behind.clone().map_or(done, Err);
        self.tell(&done);
        for told in self.awaited.drain(..) {
            // Who waited may be gone.
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

    /// A full disk takes no line, and syncs without an error what it has.
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

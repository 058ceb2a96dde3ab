//! The journal: what a server noted, in a file that is kept apart from the store. What is noted
//! stands in it within 100 ms, and is on the disk a second later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leafid_core::{Name, Token};

use super::file::{self, Log};
use super::witness::{Note, Witness};
use crate::problem::Problem;

/// What is noted is written after so long, together.
const WRITTEN: Duration = Duration::from_millis(100);
/// What is written is synced after so long.
const SYNCED: Duration = Duration::from_secs(1);

/// A journal that notes what one server writes to one store. When it is dropped, all of it is on the
/// disk.
#[derive(Debug)]
pub struct Journal {
    /// Where it lies.
    pub path: PathBuf,
    /// What it knew when it was opened.
    pub found: Witness,
    pending: Arc<Mutex<Pending>>,
    well: Arc<AtomicBool>,
    wake: Option<SyncSender<()>>,
    writer: Option<JoinHandle<()>>,
}

/// What is to be written: of each line the last.
#[derive(Debug, Default)]
struct Pending {
    afresh: bool,
    store: Option<Note>,
    tags: BTreeMap<Name, Note>,
    workers: BTreeMap<(Name, u32), Note>,
}

impl Pending {
    fn put(&mut self, note: Note) {
        match note {
            Note::Afresh => *self = Pending { afresh: true, ..Pending::default() },
            Note::Store(_) => self.store = Some(note),
            Note::Tag(tag, _) => drop(self.tags.insert(tag, note)),
            Note::Worker(name, worker, _) => drop(self.workers.insert((name, worker), note)),
        }
    }

    fn notes(self) -> Vec<Note> {
        let afresh = self.afresh.then_some(Note::Afresh).into_iter();
        let lines = self.tags.into_values().chain(self.workers.into_values());
        afresh.chain(self.store).chain(lines).collect()
    }
}

impl Journal {
    /// Opens the journal of a store in a folder, which has to be there; begins one if there is none.
    ///
    /// # Errors
    /// `STORE_REFUSED` if another server uses it, `SCHEMA_MISMATCH` if a file of its name is no
    /// journal, `STORE_UNAVAILABLE` if it cannot be read or written.
    pub fn open(folder: &Path, store: Token) -> Result<Journal, Problem> {
        let (log, found) = Log::open(folder, store)?;
        let path = file::path(folder, store);
        let (wake, woken) = sync_channel(1);
        let pending = Arc::new(Mutex::new(Pending::default()));
        let shared = Arc::clone(&pending);
        let well = Arc::new(AtomicBool::new(true));
        let told = Arc::clone(&well);
        let writer = std::thread::Builder::new()
            .name("leafid-journal".to_owned())
            .spawn(move || Writer { log, pending: shared, well: true, told }.run(&woken))
            .map_err(|error| Problem::unavailable(format!("no thread for the journal: {error}")))?;
        Ok(Journal { path, found, pending, well, wake: Some(wake), writer: Some(writer) })
    }

    /// Tells whether the last writing did not fail.
    pub fn well(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.well)
    }

    /// Notes what was written.
    pub fn note(&self, notes: impl IntoIterator<Item = Note>) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        notes.into_iter().for_each(|note| pending.put(note));
        drop(pending);
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

struct Writer {
    log: Log,
    pending: Arc<Mutex<Pending>>,
    /// Whether the last writing did not fail.
    well: bool,
    /// The same, for others.
    told: Arc<AtomicBool>,
}

impl Writer {
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
                    unsynced.get_or_insert(Instant::now());
                    std::thread::sleep(WRITTEN);
                    self.write();
                }
            }
            if unsynced.is_some_and(|since| since.elapsed() >= SYNCED) {
                self.sync();
                // What could not be written is tried again.
                unsynced = (!self.well).then(Instant::now);
            }
        }
    }

    fn write(&mut self) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = std::mem::take(&mut *pending).notes();
        drop(pending);
        if notes.is_empty() {
            return;
        }
        let kept = notes.clone();
        let done = self.log.add(notes);
        if done.is_err() {
            // What was noted since counts for more.
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let since = std::mem::take(&mut *pending).notes();
            kept.into_iter().chain(since).for_each(|note| pending.put(note));
        }
        self.tell(done);
    }

    fn sync(&mut self) {
        let done = self.log.sync();
        self.tell(done);
    }

    fn tell(&mut self, done: std::io::Result<()>) {
        match done {
            Ok(()) if !self.well => tracing::info!("the journal is written again"),
            Err(error) if self.well => tracing::error!(
                "the journal cannot be written: {error}; leases are granted all the same, but a restore of the store \
                 may not be noticed until it can"
            ),
            _ => return,
        }
        self.well = !self.well;
        self.told.store(self.well, Ordering::Relaxed);
    }
}

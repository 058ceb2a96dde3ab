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

/// After how long what is noted is written, together.
const WRITTEN: Duration = Duration::from_millis(100);
/// After how long what is written is synced.
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
            .spawn(move || Writer::new(log, shared, told).run(&woken))
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
    /// Whether the last try to write left something out.
    behind: bool,
    /// Whether all that was noted reached the disk the last time.
    well: bool,
    /// The same, for others.
    told: Arc<AtomicBool>,
}

impl Writer {
    fn new(log: Log, pending: Arc<Mutex<Pending>>, told: Arc<AtomicBool>) -> Writer {
        Writer { log, pending, behind: false, well: true, told }
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
        self.behind = done.is_err();
        if self.behind {
            // What was noted since counts for more.
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let since = std::mem::take(&mut *pending).notes();
            kept.into_iter().chain(since).for_each(|note| pending.put(note));
        }
        // A full disk takes no line, and a sick one takes it and does not keep it: it is well again
        // only when both are done.
        if done.is_err() {
            self.tell(done);
        }
    }

    fn sync(&mut self) {
        let done = self.log.sync();
        if done.is_err() || !self.behind {
            self.tell(done);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A full disk takes no line, and syncs without an error what it has.
    #[test]
    fn a_journal_that_cannot_be_written_is_not_well_until_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = Token::new([7; 16]);
        let (log, _) = Log::open(folder.path(), store).unwrap();
        let (pending, told) = (Arc::default(), Arc::new(AtomicBool::new(true)));
        let mut writer = Writer::new(log, Arc::clone(&pending), Arc::clone(&told));
        let orders = Name::tag("orders").unwrap();
        let note = |end| pending.lock().unwrap().put(Note::Tag(orders, end));
        let well = || told.load(Ordering::Relaxed);
        note(10);
        writer.write();
        writer.sync();
        assert!(well());

        let whole = writer.log.fill().unwrap();
        for end in [20, 30] {
            note(end);
            writer.write();
            assert!(!well(), "written up to {end}");
            writer.sync();
            assert!(!well(), "synced up to {end}");
        }
        writer.log.empty(whole);
        writer.write();
        assert!(!well(), "not synced");
        writer.sync();
        assert!(well());
        drop(writer);
        let (_, found) = Log::open(folder.path(), store).unwrap();
        assert_eq!(found.tags.values().copied().collect::<Vec<_>>(), [30]);
    }
}

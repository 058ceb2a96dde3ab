//! The journal: a file apart from the store with the bounds that a server knows. Nothing is granted beyond
//! them before higher ones are on the disk.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use leafid_core::{StoreTime, Token};
use leafid_turn::register::Beat;
use tokio::sync::oneshot;

use super::bounds::{Bounds, Note};
use super::file::{Head, Log};
use crate::clock::{Clock, SystemClock};
use crate::problem::Problem;
use crate::store::JournalSight;

/// How long one write may take before that counts as a failure.
const HANGS: Duration = Duration::from_secs(5);

type Done = Result<(), String>;

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
    orders: Option<Sender<Order>>,
    writer: Option<JoinHandle<()>>,
}

/// The state of a journal.
#[derive(Clone, Debug)]
pub struct Sight {
    since: StoreTime,
    apart: bool,
    failed: Arc<Mutex<Option<String>>>,
}

impl Sight {
    /// The state now.
    pub fn now(&self) -> JournalSight {
        JournalSight {
            written: failed(&self.failed).is_none(),
            since: self.since,
            apart: self.apart,
        }
    }
}

enum Order {
    Add(Vec<Note>, oneshot::Sender<Done>),
    TakeOver,
}

/// Notes on their way to the disk.
#[derive(Debug)]
pub struct Noted {
    path: String,
    done: oneshot::Receiver<Done>,
}

impl Noted {
    /// Waits until they are on the disk.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if they cannot be written.
    pub async fn synced(self) -> Result<(), Problem> {
        let why = match tokio::time::timeout(HANGS, self.done).await {
            Ok(Ok(Ok(()))) => return Ok(()),
            Ok(Ok(Err(why))) => why,
            Ok(Err(_)) | Err(_) => format!("the disk has not answered for {HANGS:?}"),
        };
        Err(Problem::unavailable(format!(
            "the journal `{}` cannot be written: {why}; nothing is granted until it can, as a restore \
             would not be noticed, though a change may have been made: make room there, or start with \
             another folder: --journal DIR",
            self.path
        )))
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
        let (log, taken) = Log::open(folder, Head { store, since: SystemClock.wall(), place })?;
        let (path, found) = (log.path.clone(), log.bounds().clone());
        let sight = Sight { since: log.head.since, apart, failed: Arc::default() };
        let (orders, ordered) = channel();
        let told = Arc::clone(&sight.failed);
        let writer = std::thread::Builder::new()
            .name("leafid-journal".to_owned())
            .spawn(move || write(log, &ordered, &told))
            .map_err(|error| Problem::unavailable(format!("no thread for the journal: {error}")))?;
        let (orders, writer) = (Some(orders), Some(writer));
        Ok(Journal { path, found, taken, sight, orders, writer })
    }

    /// Adds notes, in the order of the calls.
    pub fn note(&self, notes: Vec<Note>) -> Noted {
        let (told, done) = oneshot::channel();
        self.order(Order::Add(notes, told));
        Noted { path: self.path.display().to_string(), done }
    }

    /// Removes the journals that this one has taken over.
    pub fn take_over(&self) {
        self.order(Order::TakeOver);
    }

    fn order(&self, order: Order) {
        // If the thread has ended, nobody answers the order, which is an error for who waits.
        let _ = self.orders.as_ref().map(|orders| orders.send(order));
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.orders = None;
        // If the thread panicked, it has reported that itself.
        self.writer.take().map(JoinHandle::join);
    }
}

fn failed(shared: &Mutex<Option<String>>) -> MutexGuard<'_, Option<String>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(mut log: Log, ordered: &Receiver<Order>, told: &Mutex<Option<String>>) {
    while let Ok(first) = ordered.recv() {
        let (mut notes, mut waiting, mut takes_over) = (Vec::new(), Vec::new(), false);
        for order in std::iter::once(first).chain(ordered.try_iter()) {
            match order {
                Order::Add(some, done) => {
                    notes.extend(some);
                    waiting.push(done);
                }
                Order::TakeOver => takes_over = true,
            }
        }
        if !waiting.is_empty() {
            let done = log.add(notes).map_err(|error| error.to_string());
            tell(told, &done);
            for waiting in waiting {
                // The caller may be gone.
                let _ = waiting.send(done.clone());
            }
        }
        if takes_over && let Err(error) = log.take_over() {
            tracing::warn!("a journal that was taken over cannot be removed: {error}");
        }
    }
}

fn tell(told: &Mutex<Option<String>>, done: &Done) {
    let before = std::mem::replace(&mut *failed(told), done.clone().err());
    match (before, done) {
        (None, Err(why)) => {
            tracing::error!(
                "the journal cannot be written: {why}; nothing is granted until it can"
            );
        }
        (Some(_), Ok(())) => tracing::info!("the journal is written again"),
        _ => {}
    }
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
        let (mut log, _) = Log::open(folder.path(), head()).unwrap();
        let note = |end| vec![Note::Line(Line::Tag(Name::tag("orders").unwrap(), end))];
        log.add(note(10)).unwrap();
        let path = log.path.clone();
        let whole = log.fill().unwrap();
        log.add(note(20)).unwrap_err();
        drop(whole);
        log.add(note(15)).unwrap();
        drop(log);
        let (_, known) = super::super::file::read(&path, store).unwrap().unwrap();
        assert_eq!(known.tags.values().copied().collect::<Vec<_>>(), [20]);
    }
}

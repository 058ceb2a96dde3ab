//! Events in the background of generators, for the host's log.
//!
//! The thread of a store must not wait for the host's language, so it leaves its events here, and a
//! thread of the host fetches them. Without such a reader nothing is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::client::host::fork::{self, Generation};
use crate::client::host::fork_cell::ForkCell;

/// The most events that wait; later ones are dropped, since an outage's beginning counts most.
const MOST: usize = 1_000;

/// Whether it is a warning, and the message; `None` ends the log.
type Event = Option<(bool, String)>;

/// The events of one process.
struct Log {
    made_in: Generation,
    is_read: AtomicBool,
    sent: SyncSender<Event>,
    received: Mutex<Receiver<Event>>,
}

static LOG: OnceLock<ForkCell<Log>> = OnceLock::new();
static START: OnceLock<fn()> = OnceLock::new();

impl Log {
    fn new() -> Arc<Log> {
        let (sent, received) = sync_channel(MOST);
        let (is_read, received) = (AtomicBool::new(false), Mutex::new(received));
        Arc::new(Log { made_in: fork::current(), is_read, sent, received })
    }
}

/// This process's log, if it has a reader.
fn read_log() -> Option<Arc<Log>> {
    let log = LOG.get()?.share();
    (fork::is_current(log.made_in) && log.is_read.load(Ordering::Acquire)).then_some(log)
}

/// Whether the log has a reader.
pub fn is_read() -> bool {
    read_log().is_some()
}

/// Sets the function that starts a reader where one is wanted: before the first event.
pub fn on_want(start: fn()) {
    let _ = START.set(start);
}

/// Starts a reader, if there is none. One at a time.
pub fn want_reader() {
    if !is_read()
        && let Some(start) = START.get()
    {
        start();
    }
}

/// Makes the caller the log's reader; false if there is one already. One at a time.
pub fn begin() -> bool {
    let cell = LOG.get_or_init(|| ForkCell::new(Log::new()));
    if !fork::is_current(cell.get().made_in) {
        cell.replace(Log::new());
    }
    !cell.get().is_read.swap(true, Ordering::AcqRel)
}

/// Leaves an event for the reader.
pub fn note(is_warning: bool, message: impl FnOnce() -> String) {
    if let Some(log) = read_log() {
        let _ = log.sent.try_send(Some((is_warning, message())));
    }
}

/// Waits for the next event; `None` when there will be none. For the reader.
pub fn next() -> Event {
    let received = &read_log()?.received;
    received.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()?
}

/// Reports that the reader has ended.
pub fn ended() {
    if let Some(log) = read_log() {
        log.is_read.store(false, Ordering::Release);
    }
}

/// Waits up to a second until the reader has ended.
pub fn wait_until_unread() {
    let deadline = Instant::now() + Duration::from_secs(1);
    while is_read() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends the log: the reader ends after the last event. The reader of a full log is not told.
pub fn close() {
    if let Some(log) = read_log() {
        let _ = log.sent.try_send(None);
    }
}

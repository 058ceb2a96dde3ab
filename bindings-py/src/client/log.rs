//! What happens to generators behind their callers' backs, for the host's log.
//!
//! The thread of a store must not wait for the host's language, so it leaves what it has to say here,
//! and a thread of the host's fetches it. While none does, nothing is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::client::host::fork::{self, Generation};
use crate::client::host::fork_cell::ForkCell;

/// How many events wait at most: of an outage, the beginning is what counts.
const MOST: usize = 1_000;

/// Whether somebody should look, and what happened; `None` is the last one.
type Event = Option<(bool, String)>;

/// The events of one process.
struct Log {
    made_in: Generation,
    is_read: AtomicBool,
    sent: SyncSender<Event>,
    received: Mutex<Receiver<Event>>,
}

static LOG: OnceLock<ForkCell<Log>> = OnceLock::new();

impl Log {
    fn new() -> Arc<Log> {
        let (sent, received) = sync_channel(MOST);
        let (is_read, received) = (AtomicBool::new(false), Mutex::new(received));
        Arc::new(Log { made_in: fork::current(), is_read, sent, received })
    }
}

/// The log of this process, if somebody reads it.
fn read_log() -> Option<Arc<Log>> {
    let log = LOG.get()?.share();
    (fork::is_current(log.made_in) && log.is_read.load(Ordering::Acquire)).then_some(log)
}

/// Whether somebody reads.
pub fn is_read() -> bool {
    read_log().is_some()
}

/// Says that somebody reads from now on; false if somebody does already. One at a time.
pub fn begin() -> bool {
    let cell = LOG.get_or_init(|| ForkCell::new(Log::new()));
    if !fork::is_current(cell.get().made_in) {
        cell.replace(Log::new());
    }
    !cell.get().is_read.swap(true, Ordering::AcqRel)
}

/// Leaves an event for who reads.
pub fn note(is_warning: bool, message: impl FnOnce() -> String) {
    if let Some(log) = read_log() {
        let _ = log.sent.try_send(Some((is_warning, message())));
    }
}

/// Waits for the next event; `None` when there will be none. For who reads.
pub fn next() -> Event {
    let received = &read_log()?.received;
    received.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()?
}

/// Says that nobody reads any more.
pub fn ended() {
    if let Some(log) = read_log() {
        log.is_read.store(false, Ordering::Release);
    }
}

/// Waits until nobody reads any more: a second at most.
pub fn wait_until_unread() {
    let deadline = Instant::now() + Duration::from_secs(1);
    while is_read() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// There will be no more events: who reads is sent home after the last one. One who has more to read than
/// waits here is not waited for.
pub fn close() {
    if let Some(log) = read_log() {
        let _ = log.sent.try_send(None);
    }
}

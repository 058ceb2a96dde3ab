//! Events in the background of generators, for the host's log.
//!
//! The thread of a store must not wait for the host's language, so it leaves its events here, and a
//! thread of the host fetches them. Without such a reader nothing is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

use crate::host::fork::{self, Generation};
use crate::host::fork_cell::{ForkCell, ForkLock, Made};
use crate::host::thread;

/// The most events that wait; later ones are dropped, since an outage's beginning counts most.
const MOST: usize = 1_000;

/// Whether it is a warning, and the message.
type Event = (bool, String);
/// The events, for the reader, which waits for each.
pub type Events = dyn Iterator<Item = Event> + Send;

/// The log of one process.
struct Log {
    made_in: Generation,
    is_read: AtomicBool,
    /// `None` ends the log.
    sent: SyncSender<Option<Event>>,
}

impl Made for Log {
    fn made_in(&self) -> Generation {
        self.made_in
    }
}

static LOG: OnceLock<ForkCell<Log>> = OnceLock::new();
static START: OnceLock<fn()> = OnceLock::new();

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

/// Starts a reader, if there is none.
pub fn want_reader() {
    if !is_read()
        && let Some(start) = START.get()
    {
        start();
    }
}

/// Starts the thread that reads the log, if there is none: `write` takes the events until there will be
/// none.
pub fn read(write: impl FnOnce(&mut Events) + Send + 'static) {
    static STARTS: ForkLock<()> = ForkLock::new();
    let _starts = STARTS.lock();
    if is_read() {
        return;
    }
    let (sent, received) = sync_channel(MOST);
    let log = Arc::new(Log { made_in: fork::current(), is_read: AtomicBool::new(true), sent });
    let own = Arc::clone(&log);
    let cell = LOG.get_or_init(|| ForkCell::new(Arc::clone(&log)));
    cell.replace(cell.get(), Arc::clone(&log));
    let run = move || {
        write(&mut received.into_iter().map_while(|event| event));
        own.is_read.store(false, Ordering::Release);
    };
    if thread::spawn("leafid log", run).is_err() {
        // The next start tries again.
        log.is_read.store(false, Ordering::Release);
    }
}

/// Leaves an event for the reader; with the feature `tracing` also for that.
pub fn note(is_warning: bool, message: String) {
    #[cfg(feature = "tracing")]
    match is_warning {
        true => tracing::warn!("{message}"),
        false => tracing::info!("{message}"),
    }
    if let Some(log) = read_log() {
        let _ = log.sent.try_send(Some((is_warning, message)));
    }
}

/// Ends the log: the reader ends after the last event. The reader of a full log is not told.
pub fn close() {
    if let Some(log) = read_log() {
        let _ = log.sent.try_send(None);
    }
}

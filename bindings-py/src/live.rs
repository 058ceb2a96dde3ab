//! The end of the interpreter: windows are given back, waiting callers are sent home, and nothing
//! keeps the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::work::Work;

/// How long the end of the interpreter waits for the last releases.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Every generator whose thread was started. The lock is only ever held together with the
/// interpreter, which a forking thread has: no child inherits it closed.
static LIVE: Mutex<Vec<Weak<dyn Work>>> = Mutex::new(Vec::new());
static EXITING: AtomicBool = AtomicBool::new(false);

/// Remembers a generator until it is gone.
pub fn remember(_py: Python<'_>, work: Weak<dyn Work>) {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if live.len() == live.capacity() {
        live.retain(|work| work.strong_count() > 0);
    }
    live.push(work);
}

/// Whether the interpreter is about to end.
pub fn is_exiting() -> bool {
    EXITING.load(Ordering::Acquire)
}

/// Closes what is open: run by `atexit`.
#[pyfunction]
pub fn close_all(py: Python<'_>) {
    EXITING.store(true, Ordering::Release);
    let live: Vec<_> = {
        let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.iter().filter_map(Weak::upgrade).filter(|work| work.is_ours()).collect()
    };
    for work in &live {
        work.retire();
    }
    py.detach(|| {
        let deadline = Instant::now() + LAST_WORDS;
        while live.iter().any(|work| !work.is_over()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

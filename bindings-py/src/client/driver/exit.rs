//! The end of the process: windows are given back, waiting callers are sent home, and nothing keeps
//! the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::client::driver::Driven;

/// How long the end of the process waits for the last releases.
const LAST_RELEASES: Duration = Duration::from_secs(1);

/// How long it waits for callers, who only have to be told that it is over: one that came back below a
/// native frame while the interpreter ends would abort it.
const LAST_CALLERS: Duration = Duration::from_secs(30);

static LIVE: Mutex<Vec<Weak<dyn Driven>>> = Mutex::new(Vec::new());
static EXITING: AtomicBool = AtomicBool::new(false);

/// Remembers a generator until it is gone. One at a time.
pub fn remember(driven: Weak<dyn Driven>) {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if live.len() == live.capacity() {
        live.retain(|driven| driven.strong_count() > 0);
    }
    live.push(driven);
}

pub fn is_exiting() -> bool {
    EXITING.load(Ordering::Acquire)
}

/// Closes every generator of this process; none gets a driver afterwards. One at a time.
pub fn retire_all() -> Vec<Arc<dyn Driven>> {
    EXITING.store(true, Ordering::Release);
    let live = live();
    live.iter().for_each(|driven| driven.retire());
    live
}

/// Every generator of this process that has a driver. One at a time.
fn live() -> Vec<Arc<dyn Driven>> {
    let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.iter().filter_map(Weak::upgrade).filter(|driven| driven.is_ours()).collect()
}

/// Drops every right of this process without a word. One at a time.
pub fn forget_all() {
    live().iter().for_each(|driven| driven.forget());
}

/// Gives back what this process holds: each generator goes on with its next ID. One at a time.
pub fn give_all_back() -> Vec<Arc<dyn Driven>> {
    let live = live();
    live.iter().for_each(|driven| driven.give_back());
    live
}

/// Waits until what these have to send is sent: a second at most.
pub fn wait_for_all(live: &[Arc<dyn Driven>], is_done: fn(&dyn Driven) -> bool) {
    wait_within(LAST_RELEASES, live, is_done);
}

/// Waits until every caller of these has its ID, or its error. They were closed before.
pub fn wait_for_callers(live: &[Arc<dyn Driven>]) {
    wait_within(LAST_CALLERS, live, |driven| !driven.has_callers());
}

fn wait_within(most: Duration, live: &[Arc<dyn Driven>], is_done: fn(&dyn Driven) -> bool) {
    let deadline = Instant::now() + most;
    while live.iter().any(|driven| !is_done(&**driven)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

//! The end of the process: gives windows back and wakes waiting callers, within bounded time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::client::driver::Driven;

/// The longest wait for the last releases.
const LAST_RELEASES: Duration = Duration::from_secs(1);

/// The longest wait for callers, who only have to get their error: one that returned through a native
/// frame while the interpreter ends would abort the process.
const LAST_CALLERS: Duration = Duration::from_secs(30);

static LIVE: Mutex<Vec<Weak<dyn Driven>>> = Mutex::new(Vec::new());
static EXITING: AtomicBool = AtomicBool::new(false);

/// Remembers a generator until it is dropped. One at a time.
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

/// Drops every right of this process without a release. One at a time.
pub fn forget_all() {
    live().iter().for_each(|driven| driven.forget());
}

/// Gives back every range of this process; generators go on with their next ID. One at a time.
pub fn give_all_back() -> Vec<Arc<dyn Driven>> {
    let live = live();
    live.iter().for_each(|driven| driven.give_back());
    live
}

/// Waits up to a second until all of these generators are done.
pub fn wait_for_all(live: &[Arc<dyn Driven>], is_done: fn(&dyn Driven) -> bool) {
    wait_within(LAST_RELEASES, live, is_done);
}

/// Waits until every caller of these closed generators has its ID, or its error.
pub fn wait_for_callers(live: &[Arc<dyn Driven>]) {
    wait_within(LAST_CALLERS, live, |driven| !driven.has_callers());
}

fn wait_within(most: Duration, live: &[Arc<dyn Driven>], is_done: fn(&dyn Driven) -> bool) {
    let deadline = Instant::now() + most;
    while live.iter().any(|driven| !is_done(&**driven)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

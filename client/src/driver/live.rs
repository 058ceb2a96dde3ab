//! The generators of this process: warns of two that draw from the same tag or namespace, such as one
//! per request; and at the end of the process gives windows back and wakes waiting callers, within
//! bounded time.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::driver::{Holding, chosen};
use crate::host::fork_cell::ForkLock;
use crate::stores::Backend;

/// The longest wait for the last releases.
pub const LAST_RELEASES: Duration = Duration::from_secs(1);

/// The longest wait for callers, who only have to get their error: one that returned through a native
/// frame while the interpreter ends would abort the process.
pub const LAST_CALLERS: Duration = Duration::from_secs(30);

/// Every generator that had a driver, with the place and the name that it draws from; and the warnings
/// given.
#[derive(Default)]
struct Live {
    begun: Vec<(Weak<Holding>, Option<String>)>,
    warned: BTreeSet<String>,
}

static LIVE: ForkLock<Live> = ForkLock::new();
static EXITING: AtomicBool = AtomicBool::new(false);

/// Remembers a generator until it is dropped. Returns the warning if it is the second open one that
/// draws the same from the store at this place, once per place and name.
pub fn begins(holding: &Arc<Holding>, place: Option<String>) -> Option<String> {
    let (draws, costs) = holding.config.draws();
    let name = place.map(|place| format!("{place} {draws}"));
    let mut live = LIVE.lock();
    let is_open = |other: Arc<Holding>| {
        other.is_current() && !other.is_closed() && !Arc::ptr_eq(&other, holding)
    };
    let same = live.begun.iter().filter(|(_, other)| name.is_some() && *other == name);
    let beside = same.filter(|(other, _)| other.upgrade().is_some_and(is_open)).count();
    if live.begun.len() == live.begun.capacity() {
        live.begun.retain(|(other, _)| other.strong_count() > 0);
    }
    live.begun.push((Arc::downgrade(holding), name.clone()));
    if beside != 1 || !live.warned.insert(name?) {
        return None;
    }
    Some(format!(
        "2 generators in this process draw from the {draws} of one store, and each leases {costs}: make one \
         where the program starts and share it, and close those that are done"
    ))
}

pub fn is_exiting() -> bool {
    EXITING.load(Ordering::Acquire)
}

/// Closes every generator of this process; none gets a driver afterwards.
pub fn retire_all() -> Vec<Arc<Holding>> {
    EXITING.store(true, Ordering::Release);
    live().inspect(|holding| holding.retire(false)).collect()
}

/// Every generator of this process that has a driver.
fn live() -> impl Iterator<Item = Arc<Holding>> {
    let live = LIVE.lock();
    let all: Vec<_> = live.begun.iter().filter_map(|(holding, _)| holding.upgrade()).collect();
    all.into_iter().filter(|holding| holding.is_current())
}

/// Puts a test's store in place of all others, or ends the test. What generators hold is given back, to the store that
/// granted it, and they go on with their next ID.
pub fn test(store: Option<Arc<dyn Backend>>) {
    chosen::set_test(store);
    let replaced = live().filter(|holding| holding.test.is_some() && !holding.is_closed());
    replaced.for_each(|holding| holding.set_aside());
}

/// Drops every right of this process without a release.
pub fn forget_all() {
    live().for_each(|holding| holding.forget());
}

/// Gives back every range of this process; generators go on with their next ID.
pub fn give_all_back() -> Vec<Arc<Holding>> {
    // Without randomness the old generator stays; a process that ends loses nothing.
    live().inspect(|holding| drop(holding.give_back())).collect()
}

/// Waits until a condition holds, at most for `most`.
pub fn wait(most: Duration, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + most;
    while !is_so() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}

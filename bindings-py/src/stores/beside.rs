//! Warns of generators in one process that draw from the same tag or namespace, such as one per request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::client::driver::Driven;

/// The open generators of one process, and the warnings given.
struct Known {
    open: BTreeMap<String, Vec<Weak<dyn Driven>>>,
    warned: BTreeSet<String>,
}

/// Used only with the interpreter lock, so a fork finds it unlocked.
static KNOWN: Mutex<Known> = Mutex::new(Known { open: BTreeMap::new(), warned: BTreeSet::new() });

/// Records a generator that begins to draw from the store at this address, and returns the warning if
/// it is the second one there, once per address and name.
pub fn begins(address: &str, driven: &Arc<dyn Driven>) -> Option<String> {
    let draws = driven.draws()?;
    let key = format!("{address} {draws}");
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.open.retain(|_, all| {
        all.retain(|one| one.upgrade().is_some_and(|one| one.is_ours() && one.draws().is_some()));
        !all.is_empty()
    });
    let all = known.open.entry(key.clone()).or_default();
    all.push(Arc::downgrade(driven));
    if all.len() != 2 || !known.warned.insert(key) {
        return None;
    }
    Some(format!(
        "2 generators in this process draw from the {draws} of one store, and each leases {}: make one \
         where the program starts and share it, and close those that are done",
        driven.costs()
    ))
}

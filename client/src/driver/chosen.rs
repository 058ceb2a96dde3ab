//! The store that a generator draws from: given with it, found with its first ask, or a test's in place of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::Error;
use crate::stores::Backend;

type Find = Box<dyn Fn() -> Result<Arc<dyn Backend>, Error> + Send + Sync>;

/// The store of a generator.
pub struct Chosen {
    found: OnceLock<Arc<dyn Backend>>,
    find: Option<Find>,
    /// Whether it stays where a test has replaced all other stores.
    stays: bool,
}

impl Chosen {
    /// A store that is known, and whether it stays where a test has replaced all others.
    pub fn given(store: Arc<dyn Backend>, stays: bool) -> Chosen {
        Chosen { found: store.into(), find: None, stays }
    }

    /// A store that is looked for when it is needed, until it is found.
    pub fn later(
        find: impl Fn() -> Result<Arc<dyn Backend>, Error> + Send + Sync + 'static,
    ) -> Chosen {
        Chosen { found: OnceLock::new(), find: Some(Box::new(find)), stays: false }
    }

    /// The store, which is never a test's.
    ///
    /// # Errors
    /// Those of looking for it.
    pub fn store(&self) -> Result<Arc<dyn Backend>, Error> {
        if let (None, Some(find)) = (self.found.get(), &self.find) {
            let _ = self.found.set(find()?);
        }
        Ok(Arc::clone(self.found.wait()))
    }

    /// The number of the running test, whose store replaces this one; 0 where none runs, `None` where none replaces it.
    pub fn test(&self) -> Option<u64> {
        (!self.stays).then(|| TEST.load(Ordering::Acquire))
    }
}

/// The running test, numbered; 0 where there is none. Programs read this alone: a forked child must not meet a lock.
static TEST: AtomicU64 = AtomicU64::new(0);
/// The last test's number, and the store of the one that runs.
static STORE: Mutex<(u64, Option<Arc<dyn Backend>>)> = Mutex::new((0, None));

/// The store of this test, if it still runs.
pub fn store_of(test: u64) -> Option<Arc<dyn Backend>> {
    let held = STORE.lock().unwrap_or_else(PoisonError::into_inner);
    held.1.clone().filter(|_| held.0 == test)
}

/// Begins a test with its store in place of all others, or ends it.
pub fn set_test(store: Option<Arc<dyn Backend>>) {
    let mut held = STORE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_begun = store.is_some();
    *held = (held.0 + 1, store);
    TEST.store(if is_begun { held.0 } else { 0 }, Ordering::Release);
}

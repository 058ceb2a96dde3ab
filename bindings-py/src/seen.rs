//! What a forked child may know of what its parent saw: facts, not rights, readable without the
//! lock. The core keeps the same facts of its own process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use leafid_core::{Code, Grant, Token};

/// The store that answered, and the highest end of a segment.
#[derive(Default)]
pub struct Seen {
    store: OnceLock<Token>,
    end: AtomicU64,
}

impl Seen {
    /// What the process before saw.
    pub fn inherit(&self, before: &Seen) {
        if let Some(store) = before.store.get() {
            let _ = self.store.set(*store);
        }
        self.end.store(before.end.load(Ordering::Acquire), Ordering::Release);
    }

    /// Looks an answer over that echoes its request.
    ///
    /// # Errors
    /// `STORE_CHANGED` if another store answered before, `GRANT_INVALID` if numbers that were
    /// granted before are granted again.
    pub fn look_over(&self, grant: &Grant) -> Result<(), Code> {
        let (store, start) = match grant {
            Grant::Segment(grant) => (grant.store, grant.range.start),
            Grant::Window(grant) => (grant.store, u64::MAX),
        };
        if self.store.get().is_some_and(|known| *known != store) {
            return Err(Code::StoreChanged);
        }
        if start < self.end.load(Ordering::Acquire) {
            return Err(Code::GrantInvalid);
        }
        Ok(())
    }

    /// Notes a grant that was applied.
    pub fn note(&self, grant: &Grant) {
        let (store, end) = match grant {
            Grant::Segment(grant) => (grant.store, grant.range.end),
            Grant::Window(grant) => (grant.store, 0),
        };
        let _ = self.store.set(store);
        self.end.fetch_max(end, Ordering::AcqRel);
    }
}

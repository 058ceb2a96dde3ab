//! What a forked child may know of what its parent saw: facts, not rights, readable without the
//! lock. The core keeps the same facts of its own process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use leafid_core::{Carryover, Grant, Token};

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

    /// What the core of another process may know, whose line stood there.
    pub fn carryover(&self, position: u64) -> Carryover {
        let end = self.end.load(Ordering::Acquire);
        let have_until = Some(end).filter(|end| *end > 0);
        Carryover { store: self.store.get().copied(), position, have_until }
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

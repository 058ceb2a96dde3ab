//! What a forked child may know of its parent's store, readable without the parent's lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use leafid_core::{Carryover, Grant, Token};

/// The store that answered, and the highest end of a segment: facts, no rights. The core keeps the
/// same of its own process, behind a lock.
#[derive(Default)]
pub struct Kept {
    store: OnceLock<Token>,
    end: AtomicU64,
}

impl Kept {
    /// Takes over what the process before kept.
    pub fn inherit(&self, before: &Kept) {
        if let Some(store) = before.store.get() {
            let _ = self.store.set(*store);
        }
        self.end.store(before.end.load(Ordering::Acquire), Ordering::Release);
    }

    /// Whether a store has answered, in this process or one that forked it.
    pub fn is_of_a_store(&self) -> bool {
        self.store.get().is_some()
    }

    /// What a child's core may know, if the line stood at `position`.
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

//! Facts about the store that a forked child takes over, readable without the parent's lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use leafid_core::{Carryover, Grant, Token};

/// The store that answered, and the highest end of a segment: facts, no rights. The core keeps the
/// same for its own process, behind a lock.
#[derive(Default)]
pub struct Kept {
    store: OnceLock<Token>,
    end: AtomicU64,
}

impl Kept {
    /// Takes over the parent's facts.
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

    /// The facts for a child's core, with the line's `position`.
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

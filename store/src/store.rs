//! What is asked of a store, and what it tells.

use std::sync::Arc;

use leafid_core::StoreTime;
pub use leafid_turn::change::{Aside, NamespaceChange, Page, TagChange};

use crate::meter::Turns;

/// What is known of a store's inside.
#[derive(Clone, Debug)]
pub struct Inside {
    /// What its thread has counted.
    pub turns: Arc<Turns>,
    /// Requests that its thread has not taken in yet.
    pub arriving: u64,
    /// How far its database had come, by its own count, when that was looked at last; 0 where it has
    /// none.
    pub position: u64,
    /// Its journal, where one is kept.
    pub journal: Option<JournalSight>,
}

/// The state of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalSight {
    /// Whether the last writing did not fail.
    pub written: bool,
    /// Since when the store has one there, by the server's clock.
    pub since: StoreTime,
    /// Whether it lies on another disk than the store.
    pub apart: bool,
}

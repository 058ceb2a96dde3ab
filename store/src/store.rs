//! The types of a store's requests and reports.

use std::sync::Arc;

use leafid_core::StoreTime;
pub use leafid_turn::change::{Aside, NamespaceChange, Page, TagChange};

use crate::meter::Turns;

/// The internal state of a store, for metrics.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The counts of its turns.
    pub turns: Arc<Turns>,
    /// Requests that are not in a line yet.
    pub arriving: u64,
    /// Its journal, if one is kept.
    pub journal: Option<JournalSight>,
}

/// The state of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalSight {
    /// Whether the last write succeeded.
    pub written: bool,
    /// When the store's journal was begun, by the server's clock.
    pub since: StoreTime,
    /// Whether it is on another disk than the store.
    pub apart: bool,
}

//! The types of a store's requests and reports.

use std::sync::Arc;

pub use leafid_turn::change::{Aside, NamespaceChange, Page, TagChange};

use crate::fence::Sight;
use crate::meter::Turns;

/// The internal state of a store, for metrics.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The counts of its turns.
    pub turns: Arc<Turns>,
    /// Requests that are not in a line yet.
    pub arriving: u64,
    /// Its journal, if one is kept.
    pub journal: Option<Sight>,
}

//! Rows of a store, beyond the core's.

use leafid_core::registry::Namespace;
use leafid_core::{Refusal, StoreTime};
use leafid_wire::{FieldReader, FieldWriter, need};

/// A row as it was read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen<T> {
    /// The row.
    pub row: T,
    /// The row's revision, where the database counts them; 0 where writes compare the row.
    pub revision: u64,
}

/// The row of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamespaceRow {
    /// The core's part.
    pub namespace: Namespace,
    /// Every number from the first of the range up to this one has a row. The first grant of each number changes
    /// it.
    pub used_until: u64,
}

/// The last fence of a store; all zero before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fenced {
    /// How often it was fenced.
    pub generation: u64,
    /// When it was fenced last.
    pub at: StoreTime,
    /// No window begins before, also in namespaces created later; if it is above 0, a new tag must name its first
    /// number.
    pub floor: StoreTime,
}

impl Fenced {
    /// Reads the fields in which every back end keeps it.
    ///
    /// # Errors
    /// One is missing or none.
    pub fn get(from: &mut impl FieldReader) -> Result<Fenced, Refusal> {
        Ok(Fenced {
            generation: need(from.number("generation")?)?,
            at: StoreTime::new(need(from.millis("fenced_ms")?)?),
            floor: StoreTime::new(need(from.millis("floor_ms")?)?),
        })
    }

    /// Writes those fields.
    pub fn put(&self, to: &mut impl FieldWriter) {
        to.number("generation", self.generation);
        to.millis("fenced_ms", self.at.get());
        to.millis("floor_ms", self.floor.get());
    }
}

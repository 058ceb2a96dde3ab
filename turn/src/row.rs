//! Rows as they were read and are to be written, beyond those of the core.

use alloc::borrow::ToOwned;
use alloc::string::String;

use leafid_core::registry::Namespace;
use leafid_core::{Refusal, StoreTime};
use leafid_wire::{FieldReader, FieldWriter, need};

/// A row as it was read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen<T> {
    /// The row.
    pub row: T,
    /// Which writing of the row it is, where the database counts them; 0 where rows are compared.
    pub revision: u64,
}

/// The row of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamespaceRow {
    /// What leases need of it.
    pub namespace: Namespace,
    /// Every number from the first of the range up to this one has a row. The first window of a
    /// namespace changes it, and so does every number that is handed out for the first time.
    pub used_until: u64,
}

/// What a store says of its last fence; all zero before the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fenced {
    /// How often it was fenced.
    pub generation: u64,
    /// When it was fenced last.
    pub at: StoreTime,
    /// Before when it grants no window, of namespaces that are made later, too; above 0, each tag
    /// that is made names its first number.
    pub floor: StoreTime,
    /// What the database called itself then.
    pub database: String,
}

impl Fenced {
    /// Reads it by the fields that every back end keeps it in.
    ///
    /// # Errors
    /// One is missing or none.
    pub fn get(from: &mut impl FieldReader) -> Result<Fenced, Refusal> {
        Ok(Fenced {
            generation: need(from.number("generation")?)?,
            at: StoreTime::new(need(from.millis("fenced_ms")?)?),
            floor: StoreTime::new(need(from.millis("floor_ms")?)?),
            database: need(from.text("fenced_on", str::to_owned)?)?,
        })
    }

    /// Writes those fields.
    pub fn put(&self, to: &mut impl FieldWriter) {
        to.number("generation", self.generation);
        to.millis("fenced_ms", self.at.get());
        to.millis("floor_ms", self.floor.get());
        to.text("fenced_on", &self.database);
    }
}

//! The fields of asks, answers and rows, which become plain data (a JSON object, a dict, a JavaScript
//! object) and back.
//!
//! A host implements [`FieldWriter`] and [`FieldReader`] once for its own type of object; every
//! struct that is passed implements [`Fields`]. IDs, ticks and ends are *big*: a decimal string on
//! the wire, an `int` or a `bigint` in a host.
//!
//! Each struct has one table (in `messages` or `rows`), from which reading, writing and the
//! description of the wire ([`Fields::SCHEMA`]) follow.

mod codec;
mod configs;
mod host;
mod messages;
mod rows;
mod schema;

use leafid_core::{Code, Refusal};

pub use configs::{segment_config, snowflake_config};
pub use host::{FieldReader, FieldWriter};
pub use messages::put_ask;
pub use rows::put_stats;
pub use schema::{FieldForm, FieldSchema, Object, Presence};

/// A struct that is passed as an object with named fields. Absent fields are not written.
pub trait Fields: Sized {
    /// Its fields, in the order in which they are written.
    const SCHEMA: &'static [FieldSchema];

    /// Writes every field that is not absent.
    fn put(&self, to: &mut impl FieldWriter);

    /// Reads the struct.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a field that is missing or of another type; the codes of names and
    /// layouts. In an answer of a store, all of them mean `GRANT_INVALID`.
    fn get(from: &mut impl FieldReader) -> Result<Self, Refusal>;
}

/// Requires a field.
///
/// # Errors
/// `REQUEST_INVALID` if it is absent.
pub fn need<T>(value: Option<T>) -> Result<T, Refusal> {
    value.ok_or(Code::RequestInvalid.into())
}

//! The field names of the wire, in one place: how asks, answers and rows become plain data (a
//! JSON object, a dict, a JavaScript object) and back.
//!
//! A host implements [`FieldWriter`] and [`FieldReader`] once for its own kind of object; every
//! struct that crosses a border is [`Fields`]. IDs, ticks and ends are *big*: a decimal string on
//! the wire, an `int` or a `bigint` in a host.
//!
//! Each struct stands in one table (`messages`, `rows`), from which reading, writing and the
//! description of the wire ([`Fields::SCHEMA`]) follow.

mod codec;
mod messages;
mod reader;
mod rows;
mod schema;
mod table;
mod writer;

pub use reader::FieldReader;
pub(crate) use reader::need;
pub use schema::{FieldForm, FieldSchema, Presence};
pub use writer::FieldWriter;

use crate::values::Refusal;

/// What crosses a border as an object with named fields.
///
/// ```
/// use leafid_core::{FieldWriter, Fields, SegmentAsk, Name, Token};
///
/// /// Plain data of a host: here, lines of text.
/// #[derive(Default)]
/// struct Lines(String);
///
/// impl FieldWriter for Lines {
///     fn number(&mut self, field: &'static str, value: u64) {
///         self.0 += &format!("{field}={value}\n");
///     }
///     fn millis(&mut self, field: &'static str, value: i64) {
///         self.0 += &format!("{field}={value}\n");
///     }
///     fn big(&mut self, field: &'static str, value: u64) {
///         self.0 += &format!("{field}={value}\n");
///     }
///     fn flag(&mut self, field: &'static str, value: bool) {
///         self.0 += &format!("{field}={value}\n");
///     }
///     fn text(&mut self, field: &'static str, value: &str) {
///         self.0 += &format!("{field}={value}\n");
///     }
///     fn nested(&mut self, _field: &'static str, write: impl FnOnce(&mut Self)) {
///         write(self);
///     }
/// }
///
/// let (tag, request) = (Name::tag("orders")?, Token::new([7; 16]));
/// let ask = SegmentAsk { step: Some(50), ..SegmentAsk::new(tag, request) };
/// let mut lines = Lines::default();
/// ask.put(&mut lines);
/// assert_eq!(lines.0, "tag=orders\nrequest=07070707070707070707070707070707\nstep=50\n");
/// // What is absent is not written; what there is, the schema says.
/// assert_eq!(SegmentAsk::SCHEMA[3].name, "step");
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
pub trait Fields: Sized {
    /// Its fields, in the order in which they are written.
    const SCHEMA: &'static [FieldSchema];

    /// Writes every field that is not absent.
    fn put(&self, to: &mut impl FieldWriter);

    /// Reads it.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a field that is missing or of another type; the codes of names and
    /// layouts. In an answer of a store, all of them mean `GRANT_INVALID`.
    fn get(from: &mut impl FieldReader) -> Result<Self, Refusal>;
}

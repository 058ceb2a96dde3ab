//! Reading an object, field by field.

use super::Fields;
use crate::values::{Code, Layout, Refusal, Token};

/// An object that is being read. `Ok(None)` is a field that is absent or null; a field of another
/// type is `REQUEST_INVALID`. A host implements it once for its own kind of object: here for texts
/// by name, as a query string has them.
///
/// ```
/// use leafid_core::{Code, FieldReader, Fields, Refusal, SegmentAsk, Text};
/// use std::{collections::HashMap, str::FromStr};
///
/// struct Query(HashMap<&'static str, &'static str>);
///
/// impl Query {
///     fn parsed<T: FromStr>(&self, field: &str) -> Result<Option<T>, Refusal> {
///         let value = self.0.get(field).map(|text| text.parse());
///         value.transpose().map_err(|_| Code::RequestInvalid.into())
///     }
/// }
///
/// impl FieldReader for Query {
///     fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
///         self.parsed(field)
///     }
///     fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
///         self.parsed(field)
///     }
///     fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
///         self.0.get(field).map(|text| Text::parse_decimal(text)).transpose()
///     }
///     fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
///         self.parsed(field)
///     }
///     fn text<T>(
///         &mut self,
///         field: &'static str,
///         read: impl FnOnce(&str) -> T,
///     ) -> Result<Option<T>, Refusal> {
///         Ok(self.0.get(field).map(|text| read(text)))
///     }
///     fn nested<T>(
///         &mut self,
///         _field: &'static str,
///         _read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
///     ) -> Result<Option<T>, Refusal> {
///         Ok(None)
///     }
/// }
///
/// let request = "07070707070707070707070707070707";
/// let mut query = Query(HashMap::from([("tag", "orders"), ("request", request), ("step", "50")]));
/// let ask = SegmentAsk::get(&mut query)?;
/// assert_eq!((ask.tag.as_str(), ask.step, ask.have_until), ("orders", Some(50), None));
/// query.0.insert("step", "fifty");
/// assert_eq!(SegmentAsk::get(&mut query).unwrap_err().code, Code::RequestInvalid);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
pub trait FieldReader: Sized {
    /// A whole number from 0 to 2^53 - 1.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal>;
    /// A whole number between -(2^53 - 1) and 2^53 - 1.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal>;
    /// A number of 64 bits: strict decimal text on the wire, an `int` or `bigint` (or such text)
    /// in a host.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal>;
    /// True or false.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal>;
    /// A text, handed to `read`.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal>;
    /// An object within, handed to `read`.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, and what `read` finds.
    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal>;

    /// A number that fits 32 bits.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn small(&mut self, field: &'static str) -> Result<Option<u32>, Refusal> {
        let fit = |n| u32::try_from(n).map_err(|_| Refusal::new(Code::RequestInvalid));
        self.number(field)?.map(fit).transpose()
    }

    /// 32 lower-case hex digits.
    ///
    /// # Errors
    /// `REQUEST_INVALID`.
    fn token(&mut self, field: &'static str) -> Result<Option<Token>, Refusal> {
        self.text(field, Token::parse)?.transpose()
    }

    /// A layout: a nested object, or the name of a preset.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, `LAYOUT_INVALID`.
    fn layout(&mut self, field: &'static str) -> Result<Option<Layout>, Refusal> {
        if let Ok(Some(named)) = self.text(field, Layout::named) {
            return named.map(Some).ok_or(Refusal::new(Code::LayoutInvalid));
        }
        self.nested(field, Layout::get)
    }
}

/// A field that must be there.
///
/// # Errors
/// `REQUEST_INVALID` if it is not; what reading it found.
pub(crate) fn need<T>(value: Result<Option<T>, Refusal>) -> Result<T, Refusal> {
    value?.ok_or(Refusal::new(Code::RequestInvalid))
}

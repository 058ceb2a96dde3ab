//! The traits by which a host's objects are written and read field by field.

use leafid_core::{Code, Layout, Refusal, Token};

use super::Fields;

/// An object being written, with one method per form that hosts write in different ways.
pub trait FieldWriter: Sized {
    /// A number that every language holds exactly: at most 2^53 - 1.
    fn number(&mut self, field: &'static str, value: u64);
    /// A time or a difference of times, in ms.
    fn millis(&mut self, field: &'static str, value: i64);
    /// A 64-bit number, such as an ID or an end: a decimal string in JSON, a `bigint` in JavaScript,
    /// where a plain number would round it.
    fn big(&mut self, field: &'static str, value: u64);
    /// True or false.
    fn flag(&mut self, field: &'static str, value: bool);
    /// A text.
    fn text(&mut self, field: &'static str, value: &str);
    /// A nested object, which `write` fills.
    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self));

    /// 32 lower-case hex digits.
    fn token(&mut self, field: &'static str, value: Token) {
        self.text(field, core::str::from_utf8(&value.to_hex()).unwrap_or(""));
    }
}

/// An object being read. `Ok(None)` is a field that is absent or null.
///
/// # Errors
/// `REQUEST_INVALID` for a field of another type.
pub trait FieldReader: Sized {
    /// A whole number from 0 to 2^53 - 1.
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal>;
    /// A whole number between -(2^53 - 1) and 2^53 - 1.
    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal>;
    /// A 64-bit number: strict decimal text on the wire, an `int` or `bigint` (or such text) in a host.
    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal>;
    /// True or false.
    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal>;
    /// A text, passed to `read`.
    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal>;
    /// A nested object, passed to `read`.
    ///
    /// # Errors
    /// `REQUEST_INVALID`, and those of `read`.
    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal>;

    /// A number that fits 32 bits.
    fn small(&mut self, field: &'static str) -> Result<Option<u32>, Refusal> {
        let fit = |n| u32::try_from(n).map_err(|_| Refusal::new(Code::RequestInvalid));
        self.number(field)?.map(fit).transpose()
    }

    /// 32 lower-case hex digits.
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

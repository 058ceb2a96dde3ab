//! Writing an object, field by field.

use crate::values::Token;

/// An object that is being written: a host implements it once, as [`Fields`](super::Fields) shows.
/// Each method is a form that hosts write in different ways; fields that are absent are not
/// written.
pub trait FieldWriter: Sized {
    /// A number that every language holds exactly: at most 2^53 - 1.
    fn number(&mut self, field: &'static str, value: u64);
    /// A time or a difference of times, in ms.
    fn millis(&mut self, field: &'static str, value: i64);
    /// A number of 64 bits, such as an ID or an end: a decimal string in JSON, a `bigint` in
    /// JavaScript, where a plain number would round it.
    fn big(&mut self, field: &'static str, value: u64);
    /// True or false.
    fn flag(&mut self, field: &'static str, value: bool);
    /// A text.
    fn text(&mut self, field: &'static str, value: &str);
    /// An object within: `write` fills it.
    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self));

    /// 32 lower-case hex digits.
    fn token(&mut self, field: &'static str, value: Token) {
        self.text(field, core::str::from_utf8(&value.to_hex()).unwrap_or(""));
    }
}

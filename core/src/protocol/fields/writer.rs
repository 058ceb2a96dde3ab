//! Writing an object, field by field.

use crate::values::Token;

/// An object that is being written. Fields that are absent are not written.
pub trait FieldWriter: Sized {
    /// A number that every language holds exactly.
    fn number(&mut self, field: &'static str, value: u64);
    /// A time or a difference of times, in ms.
    fn millis(&mut self, field: &'static str, value: i64);
    /// A number of 64 bits.
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

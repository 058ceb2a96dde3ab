//! Writes fields straight into a JSON text.

use std::io;

use leafid_core::{Text, Token};
use serde_json::Value;

use crate::{FieldWriter, Fields, strict};

/// The initial capacity, enough for most answers.
const USUAL: usize = 384;

/// A JSON object being written.
///
/// ```
/// use leafid_core::Carryover;
/// use leafid_wire::{FieldWriter, Writer};
///
/// let before = Carryover { position: 7, ..Carryover::default() };
/// assert_eq!(Writer::object(&before), r#"{"position":"7"}"#);
/// let mut writer = Writer::default();
/// writer.text("owner", "a\"b");
/// writer.number("count", 3);
/// assert_eq!(writer.end(), r#"{"owner":"a\"b","count":3}"#);
/// ```
#[derive(Debug)]
pub struct Writer {
    text: String,
    first: bool,
    /// The name of a text field to leave out.
    left_out: &'static str,
}

impl Default for Writer {
    fn default() -> Writer {
        let mut text = String::with_capacity(USUAL);
        text.push('{');
        Writer { text, first: true, left_out: "" }
    }
}

/// Writes an object as a tree.
pub fn tree(write: impl FnOnce(&mut Writer)) -> Value {
    let mut writer = Writer::default();
    write(&mut writer);
    serde_json::from_str(&writer.end()).unwrap_or_default()
}

impl Writer {
    /// Writes a value with fields as text.
    pub fn object(value: &impl Fields) -> String {
        let mut writer = Writer::default();
        value.put(&mut writer);
        writer.end()
    }

    /// The same without one text field, which is in the path.
    pub(crate) fn body(value: &impl Fields, in_path: &'static str) -> String {
        let mut writer = Writer { left_out: in_path, ..Writer::default() };
        value.put(&mut writer);
        writer.end()
    }

    /// The finished text.
    pub fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }

    /// Writes an array of objects, each by one call of `write`.
    pub fn array<T>(
        &mut self,
        field: &'static str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Writer, T),
    ) {
        self.name(field);
        self.text.push('[');
        for (index, item) in items.into_iter().enumerate() {
            self.text.push_str(if index == 0 { "{" } else { ",{" });
            self.first = true;
            write(self, item);
            self.text.push('}');
        }
        self.text.push(']');
        self.first = false;
    }

    /// Writes an array of IDs, as decimal strings.
    pub fn ids(&mut self, field: &'static str, ids: &[u64]) {
        self.name(field);
        self.text.reserve(ids.len() * 22);
        self.text.push('[');
        for (index, id) in ids.iter().enumerate() {
            self.text.push_str(if index == 0 { "\"" } else { ",\"" });
            self.digits(*id);
            self.text.push('"');
        }
        self.text.push(']');
    }

    fn name(&mut self, field: &'static str) {
        self.text.push_str(if self.first { "\"" } else { ",\"" });
        self.first = false;
        self.text.push_str(field);
        self.text.push_str("\":");
    }

    fn digits(&mut self, number: u64) {
        match Text::decimal(number) {
            Ok(text) => self.text.push_str(text.as_str()),
            Err(_) => self.text.push_str(&number.to_string()),
        }
    }
}

impl FieldWriter for Writer {
    fn number(&mut self, field: &'static str, value: u64) {
        self.name(field);
        self.digits(value);
    }

    /// Clamps a time to what JavaScript holds exactly: a layout that reaches that far lasts for 285,000
    /// years.
    fn millis(&mut self, field: &'static str, value: i64) {
        self.name(field);
        if value < 0 {
            self.text.push('-');
        }
        self.digits(value.unsigned_abs().min(strict::EXACT));
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.name(field);
        self.text.push('"');
        self.digits(value);
        self.text.push('"');
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.name(field);
        self.text.push_str(if value { "true" } else { "false" });
    }

    fn text(&mut self, field: &'static str, value: &str) {
        if field == self.left_out {
            return;
        }
        self.name(field);
        // Writing a text into a `String` cannot fail.
        let _ = serde_json::to_writer(Escaped(&mut self.text), value);
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Writer)) {
        self.name(field);
        self.text.push('{');
        self.first = true;
        write(self);
        self.text.push('}');
        self.first = false;
    }

    fn token(&mut self, field: &'static str, value: Token) {
        self.name(field);
        self.text.push('"');
        // Hex digits need no escaping.
        self.text.push_str(str::from_utf8(&value.to_hex()).unwrap_or_default());
        self.text.push('"');
    }
}

/// The output for serde_json, which writes an escaped text piece by piece.
struct Escaped<'a>(&'a mut String);

impl io::Write for Escaped<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(piece).map_err(io::Error::other)?;
        self.0.push_str(text);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

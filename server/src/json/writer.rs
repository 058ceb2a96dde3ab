//! Fields written straight into a text.

use leafid_core::{FieldWriter, Fields, Text};
use serde_json::Value;

use crate::problem::Figure;

/// The largest time that JavaScript holds exactly.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A JSON object that is being written.
#[derive(Debug)]
pub struct Writer {
    text: String,
    first: bool,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { text: String::from("{"), first: true }
    }
}

impl Writer {
    /// The text of what has fields.
    pub fn object(value: &impl Fields) -> String {
        let mut writer = Writer::default();
        value.put(&mut writer);
        writer.end()
    }

    /// The finished text.
    pub fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }

    /// Begins an array of objects, each written by one call of `write`.
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

    /// An array of IDs, as decimal strings.
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

    /// A figure of a problem.
    pub fn figure(&mut self, field: &'static str, figure: &Figure) {
        match figure {
            Figure::Number(number) => self.number(field, *number),
            Figure::Big(big) => self.big(field, *big),
            Figure::Text(text) => self.text(field, text),
        }
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

    /// A time that JavaScript does not hold is written as the last one that it does: every layout
    /// that reaches so far lasts for 285,000 years.
    fn millis(&mut self, field: &'static str, value: i64) {
        let value = value.clamp(-MAX_SAFE, MAX_SAFE);
        self.name(field);
        self.text.push_str(&value.to_string());
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
        self.name(field);
        self.text.push_str(&Value::from(value).to_string());
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Writer)) {
        self.name(field);
        self.text.push('{');
        self.first = true;
        write(self);
        self.text.push('}');
        self.first = false;
    }
}

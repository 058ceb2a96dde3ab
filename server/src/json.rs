//! The core's fields as JSON: written straight into a text, read out of a parsed object.

use leafid_core::{Code, Fields, Get, Put, Refusal, Text};
use serde_json::{Map, Value};

use crate::problem::{Figure, Problem};

/// The largest number that JavaScript holds exactly.
const MAX_SAFE: u64 = (1 << 53) - 1;

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

impl Put for Writer {
    fn number(&mut self, field: &'static str, value: u64) {
        self.name(field);
        self.digits(value);
    }

    fn millis(&mut self, field: &'static str, value: i64) {
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

/// A JSON object that is being read. A field that was read is gone, so that what is left at the
/// end is unknown.
#[derive(Debug)]
pub struct Reader {
    fields: Map<String, Value>,
    /// The field that was looked for last: the culprit, when reading fails.
    last: &'static str,
    /// What it was.
    taken: Option<Value>,
    /// A field that nobody read, found in an object within.
    unknown: Option<String>,
}

impl Reader {
    /// Reads the fields of this object.
    pub fn new(fields: Map<String, Value>) -> Reader {
        Reader { fields, last: "", taken: None, unknown: None }
    }

    /// Parses a body; no body at all is an object without fields.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but a JSON object.
    pub fn parse(body: &[u8]) -> Result<Reader, Problem> {
        if body.is_empty() {
            return Ok(Reader::new(Map::new()));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Reader::new(fields)),
            Ok(_) => Err(invalid("the body is JSON, but no object; send `{…}`")),
            Err(error) => Err(invalid(format!("the body is not JSON: {error}"))),
        }
    }

    /// What the path says, as a field of the request. A body may repeat it, but not differ.
    ///
    /// # Errors
    /// `REQUEST_INVALID` if the body names another one.
    pub fn put_path(&mut self, field: &'static str, value: &str) -> Result<(), Problem> {
        let said = self.fields.insert(field.to_owned(), Value::from(value));
        match said {
            Some(said) if said.as_str() != Some(value) => Err(invalid(format!(
                "the body's `{field}` is `{said}`, but the path says `{value}`"
            ))),
            _ => Ok(()),
        }
    }

    /// Reads all of it; a field that nothing here has a word for is refused.
    ///
    /// # Errors
    /// As `read`; `REQUEST_INVALID` for unknown fields.
    pub fn all<T>(
        mut self,
        read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
    ) -> Result<T, Problem> {
        let value = match read(&mut self) {
            Ok(value) => value,
            Err(refusal) => return Err(self.culprit(refusal)),
        };
        match self.unknown.as_ref().or_else(|| self.fields.keys().next()) {
            Some(field) => {
                Err(invalid(format!("unknown field `{}`; check its spelling", shown(field))))
            }
            None => Ok(value),
        }
    }

    fn culprit(&self, refusal: Refusal) -> Problem {
        let field = self.last;
        let detail = match (refusal.code, self.fields.get(field).or(self.taken.as_ref())) {
            (Code::RequestInvalid, None) => format!("field `{field}` is missing or malformed"),
            (code, Some(value)) => {
                let value = shown(&value.to_string());
                format!("field `{field}` cannot be `{value}`: {}", code.advice())
            }
            (code, None) => format!("field `{field}` is not right: {}", code.advice()),
        };
        Problem::new(refusal.code, detail)
    }

    fn take<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        self.last = field;
        self.taken = None;
        let value = match self.fields.get(field) {
            None => return Ok(None),
            Some(Value::Null) => None,
            Some(value) => Some(read(value).ok_or(Code::RequestInvalid)?),
        };
        self.taken = self.fields.remove(field);
        Ok(value)
    }
}

impl Get for Reader {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.take(field, |value| value.as_u64().filter(|n| *n <= MAX_SAFE))
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        self.take(field, |value| value.as_i64().filter(|n| n.unsigned_abs() <= MAX_SAFE))
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.take(field, |value| whole(value.as_str()?))
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        self.take(field, Value::as_bool)
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        self.take(field, |value| value.as_str().map(read))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        self.last = field;
        self.taken = None;
        let within = match self.fields.get(field) {
            None => return Ok(None),
            Some(Value::Null) => None,
            Some(Value::Object(within)) => Some(within.clone()),
            Some(_) => return Err(Code::RequestInvalid.into()),
        };
        let value = within
            .map(|within| {
                let mut reader = Reader::new(within);
                let value = read(&mut reader)?;
                self.unknown = reader.unknown.or_else(|| reader.fields.keys().next().cloned());
                Ok::<T, Refusal>(value)
            })
            .transpose()?;
        self.taken = self.fields.remove(field);
        Ok(value)
    }
}

/// A number of 64 bits in strict decimal: digits only, no leading zero. One beyond 63 bits is read
/// too, so that the decision says what is wrong with it.
fn whole(text: &str) -> Option<u64> {
    let canonical = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { text.parse().ok() } else { None }
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

/// A user's text, cut to a length that a message can carry.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use leafid_core::{Layout, Name, SegmentAsk, Token};

    fn read(body: &str) -> Result<SegmentAsk, Problem> {
        let mut reader = Reader::parse(body.as_bytes())?;
        reader.put_path("tag", "orders")?;
        reader.all(SegmentAsk::get)
    }

    #[test]
    fn what_was_written_reads_back() {
        let ask = SegmentAsk {
            tag: Name::tag("orders").unwrap(),
            request: Token::new([7; 16]),
            store: None,
            step: Some(5),
            have_until: Some(i64::MAX as u64),
        };
        assert_eq!(read(&Writer::object(&ask)).unwrap(), ask);
    }

    #[test]
    fn a_field_that_is_misspelt_missing_or_of_another_type_is_named() {
        let request = r#""request":"000102030405060708090a0b0c0d0e0f""#;
        for (body, word) in [
            (format!("{{{request},\"have_untill\":\"7\"}}"), "have_untill"),
            (format!("{{{request},\"have_until\":7}}"), "have_until"),
            (format!("{{{request},\"step\":1.5}}"), "step"),
            (format!("{{{request},\"step\":-1}}"), "step"),
            (format!("{{{request},\"step\":9007199254740992}}"), "step"),
            (format!("{{{request},\"tag\":\"other\"}}"), "other"),
            ("{}".to_owned(), "request"),
            ("[]".to_owned(), "object"),
            ("{".to_owned(), "not JSON"),
        ] {
            let problem = read(&body).unwrap_err();
            assert_eq!(problem.code, Code::RequestInvalid, "{body}");
            assert!(problem.detail.contains(word), "{body}: {}", problem.detail);
        }
    }

    #[test]
    fn an_unknown_field_within_a_layout_is_found() {
        let body = r#"{"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"worker_bits":10,
            "sequence_bits":12,"bits":3}}"#;
        let read = |reader: &mut Reader| reader.layout("layout");
        let problem = Reader::parse(body.as_bytes()).unwrap().all(read).unwrap_err();
        assert!(problem.detail.contains("bits"), "{}", problem.detail);
        let leaf = Reader::parse(br#"{"layout":"leaf"}"#).unwrap().all(read).unwrap();
        assert_eq!(leaf, Some(Layout::LEAF));
        let problem = Reader::parse(br#"{"layout":"oak"}"#).unwrap().all(read).unwrap_err();
        assert_eq!(problem.code, Code::LayoutInvalid);
    }

    #[test]
    fn texts_are_escaped() {
        let mut writer = Writer::default();
        writer.text("owner", "a\"b\\ü");
        writer.array("list", [1, 2], |writer, n| writer.number("n", n));
        writer.ids("ids", &[1, u64::MAX]);
        let text = writer.end();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["owner"], "a\"b\\ü");
        assert_eq!(value["list"][1]["n"], 2);
        assert_eq!(value["ids"][1], "18446744073709551615");
    }
}

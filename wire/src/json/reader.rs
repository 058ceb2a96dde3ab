//! Reads fields from a parsed JSON object.

use leafid_core::{Code, Layout, Refusal, Token};
use serde_json::{Map, Value};

use super::problem::Problem;
use super::shown;
use super::unique::Unique;
use crate::{FieldReader, Fields, strict};

/// A JSON object being read. Reading a field removes it, so the fields left at the end are unknown.
///
/// ```
/// use leafid_core::Code;
/// use leafid_wire::{FieldReader, Reader};
///
/// let read = |body: &str| Reader::parse(body.as_bytes())?.all(|from| from.number("count"));
/// assert_eq!(read(r#"{"count":3}"#), Ok(Some(3)));
/// let unknown = read(r#"{"count":3,"cuont":4}"#).unwrap_err();
/// assert_eq!(unknown.code, Code::RequestInvalid);
/// assert_eq!(unknown.detail, "unknown field `cuont`; check its spelling");
/// ```
#[derive(Debug)]
pub struct Reader {
    fields: Map<String, Value>,
    /// The field that was read last: the wrong one, if reading fails.
    last: &'static str,
    /// The form that it must have.
    must_be: &'static str,
    /// The value that it had.
    taken: Option<Value>,
    /// The fault in the nested object.
    within: Option<String>,
    /// An unknown field in a nested object.
    unknown: Option<String>,
}

impl Reader {
    /// Reads the fields of this object.
    pub fn new(fields: Map<String, Value>) -> Reader {
        Reader { fields, last: "", must_be: "", taken: None, within: None, unknown: None }
    }

    /// Parses a body.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but a JSON object.
    pub fn parse(body: &[u8]) -> Result<Reader, Problem> {
        if body.is_empty() {
            return Err(invalid("the request has no body; send a JSON object, `{}` at least"));
        }
        match serde_json::from_slice(body) {
            Ok(Unique(Value::Object(fields))) => Ok(Reader::new(fields)),
            Ok(_) => Err(invalid("the body must be a JSON object, such as `{}`")),
            Err(error) if error.is_data() => Err(invalid(format!("{error}; send it once"))),
            Err(error) => Err(invalid(format!("the body is not JSON: {error}"))),
        }
    }

    /// Adds a name from the path as a field of the request. The body may repeat it, but not differ.
    ///
    /// # Errors
    /// `REQUEST_INVALID` if the body names another one.
    pub fn put_path(&mut self, field: &'static str, value: &str) -> Result<(), Problem> {
        let said = self.fields.insert(field.to_owned(), Value::from(value));
        match said {
            Some(said) if said.as_str() != Some(value) => Err(invalid(format!(
                "the body's `{field}` is `{said}`, but the path says `{value}`; leave it out"
            ))),
            _ => Ok(()),
        }
    }

    /// Reads a request, in which every field must be known.
    ///
    /// # Errors
    /// As `read`; `REQUEST_INVALID` for unknown fields.
    pub fn all<T>(
        mut self,
        read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
    ) -> Result<T, Problem> {
        let value = read(&mut self).map_err(|refusal| self.culprit(refusal))?;
        match self.unknown.as_ref().or_else(|| self.fields.keys().next()) {
            Some(field) => {
                Err(invalid(format!("unknown field `{}`; check its spelling", shown(field))))
            }
            None => Ok(value),
        }
    }

    /// Reads an answer and ignores unknown fields, which a newer store may have.
    ///
    /// # Errors
    /// As `read`.
    pub fn known<T>(
        mut self,
        read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
    ) -> Result<T, Problem> {
        read(&mut self).map_err(|refusal| self.culprit(refusal))
    }

    /// The fault of the field that was read last.
    fn culprit(&self, refusal: Refusal) -> Problem {
        let (field, must_be) = (self.last, self.must_be);
        let detail = match (&self.within, self.fields.get(field).or(self.taken.as_ref())) {
            // The error of a layout is of the whole layout.
            (Some(within), _) if refusal.code == Code::RequestInvalid => {
                format!("in `{field}`: {within}")
            }
            (_, Some(value)) => {
                let value = shown(&value.to_string());
                format!("field `{field}` must be {must_be}, got `{value}`")
            }
            (_, None) => format!("field `{field}` is missing; it must be {must_be}"),
        };
        Problem::new(refusal.code, detail)
    }

    fn take<T>(
        &mut self,
        field: &'static str,
        must_be: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        self.begin(field, must_be);
        let value = match self.fields.get(field) {
            None => return Ok(None),
            Some(Value::Null) => None,
            Some(value) => Some(read(value).ok_or(Code::RequestInvalid)?),
        };
        self.taken = self.fields.remove(field);
        Ok(value)
    }

    fn begin(&mut self, field: &'static str, must_be: &'static str) {
        self.last = field;
        self.must_be = must_be;
        self.taken = None;
        self.within = None;
    }
}

impl FieldReader for Reader {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.take(field, "a whole number from 0 to 9007199254740991", |value| {
            whole(value)?.try_into().ok()
        })
    }

    fn small(&mut self, field: &'static str) -> Result<Option<u32>, Refusal> {
        self.take(field, "a whole number from 0 to 4294967295", |value| {
            whole(value)?.try_into().ok()
        })
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        self.take(field, "a whole number of ms within 9007199254740991", whole)
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let must_be = "a string of decimal digits without leading zeros, such as `\"1001\"`";
        self.take(field, must_be, |value| strict::decimal(value.as_str()?).ok())
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        self.take(field, "`true` or `false`", Value::as_bool)
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        let must_be = "a string of 1 to 128 bytes without control characters";
        self.take(field, must_be, |value| value.as_str().map(read))
    }

    fn token(&mut self, field: &'static str) -> Result<Option<Token>, Refusal> {
        self.take(field, "a string of 32 lower-case hex digits", |value| {
            Token::parse(value.as_str()?).ok()
        })
    }

    fn layout(&mut self, field: &'static str) -> Result<Option<Layout>, Refusal> {
        let read = match self.fields.get(field) {
            Some(Value::String(_)) => self
                .text(field, Layout::named)
                .and_then(|named| named.flatten().map(Some).ok_or(Code::LayoutInvalid.into())),
            _ => self.nested(field, Layout::get),
        };
        self.must_be = "a preset (`leaf`, `edge`, `long` or `js53`), or an object with an epoch from \
                        1970 on, a tick of 1 ms to a day, and widths of at most 63 bits together, of \
                        which time has 1 or more and the worker 32 or fewer";
        read
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Reader) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        self.begin(field, "an object");
        let within = match self.fields.get(field) {
            None => return Ok(None),
            Some(Value::Null) => None,
            Some(Value::Object(within)) => Some(within.clone()),
            Some(_) => return Err(Code::RequestInvalid.into()),
        };
        let value = match within.map(Reader::new) {
            None => None,
            Some(mut reader) => match read(&mut reader) {
                Ok(value) => {
                    let unknown = reader.unknown.or_else(|| reader.fields.keys().next().cloned());
                    // Keep the first, whatever is read later.
                    self.unknown = self.unknown.take().or(unknown);
                    Some(value)
                }
                Err(refusal) => {
                    self.within = Some(reader.culprit(refusal).detail);
                    return Err(refusal);
                }
            },
        };
        self.taken = self.fields.remove(field);
        Ok(value)
    }
}

/// A whole number that every language holds exactly; also `5.0`, as some languages write it.
fn whole(value: &Value) -> Option<i64> {
    match value.as_i64() {
        Some(number) => strict::millis(number).ok(),
        None => strict::double(value.as_f64()?).ok(),
    }
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

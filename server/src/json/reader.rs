//! Fields read out of a parsed object.

use leafid_core::{Code, Get, Refusal};
use serde_json::{Map, Value};

use super::shown;
use super::unique::Unique;
use crate::problem::Problem;

/// The largest number that JavaScript holds exactly.
const MAX_SAFE: u64 = (1 << 53) - 1;

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
            Ok(_) => Err(invalid("the body is JSON, but no object; send `{…}`")),
            Err(error) if error.is_data() => Err(invalid(format!("{error}; send it once"))),
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
        self.take(field, |value| signed(value)?.try_into().ok())
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        self.take(field, signed)
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
                let unknown = reader.unknown.or_else(|| reader.fields.keys().next().cloned());
                // One that is known stays known, whatever is read after it.
                self.unknown = self.unknown.take().or(unknown);
                Ok::<T, Refusal>(value)
            })
            .transpose()?;
        self.taken = self.fields.remove(field);
        Ok(value)
    }
}

/// A number of 64 bits in strict decimal: digits only, no leading zero. One beyond 63 bits is read
/// too, so that the decision says what is wrong with it.
pub fn whole(text: &str) -> Option<u64> {
    let canonical = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { text.parse().ok() } else { None }
}

/// A whole number that JavaScript holds exactly. `5.0` is one: some languages write it so.
fn signed(value: &Value) -> Option<i64> {
    let whole = |n: &f64| n.fract() == 0.0 && n.abs() <= MAX_SAFE as f64;
    let number = value.as_i64().or_else(|| value.as_f64().filter(whole).map(|n| n as i64));
    number.filter(|n| n.unsigned_abs() <= MAX_SAFE)
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

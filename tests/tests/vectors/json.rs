//! JSON as the core's plain data.

use leafid_bindings::strict;
use leafid_core::{Code, FieldReader, FieldWriter, Fields, HostTime, Refusal, StoreTime, Token};
use serde_json::{Map, Value, json};

/// A JSON object that is written or read.
#[derive(Debug, Default)]
pub struct Object(pub Map<String, Value>);

/// The object of something with fields.
pub fn object(write: impl FnOnce(&mut Object)) -> Value {
    let mut to = Object::default();
    write(&mut to);
    Value::Object(to.0)
}

/// Reads something with fields.
pub fn read<T: Fields>(from: &Value) -> Result<T, Refusal> {
    T::get(&mut open(from))
}

/// A JSON object to read fields from.
pub fn open(from: &Value) -> Object {
    Object(from.as_object().cloned().unwrap_or_default())
}

/// A refusal as the vectors write it.
pub fn refused<T: Into<i64>>(refusal: Refusal<T>) -> Value {
    match refusal.until {
        Some(until) => json!({ "code": refusal.code.as_str(), "until": until.into().to_string() }),
        None => json!({ "code": refusal.code.as_str() }),
    }
}

/// What was given, or the refusal.
pub fn either<G, T: Into<i64>>(
    result: Result<G, Refusal<T>>,
    shown: impl FnOnce(G) -> Value,
) -> Value {
    result.map_or_else(refused, shown)
}

/// A text of a step.
pub fn text<'s>(step: &'s Value, field: &str) -> Result<&'s str, String> {
    step[field].as_str().ok_or_else(|| format!("`{field}` is no text"))
}

/// A decimal text of a step.
pub fn number<T: std::str::FromStr>(step: &Value, field: &str) -> Result<T, String> {
    text(step, field)?.parse().map_err(|_| format!("`{field}` is no number of its size"))
}

/// A reading of the host's clock in a step.
pub fn host_time(step: &Value, field: &str) -> Result<HostTime, String> {
    number(step, field).map(HostTime::new)
}

/// A moment of the store in a step.
pub fn store_time(step: &Value, field: &str) -> Result<StoreTime, String> {
    number(step, field).map(StoreTime::new)
}

/// A token of a step.
pub fn token(step: &Value, field: &str) -> Result<Token, String> {
    Token::parse(text(step, field)?).map_err(|refusal| refusal.to_string())
}

fn invalid<T>() -> Result<T, Refusal> {
    Err(Code::RequestInvalid.into())
}

impl Object {
    fn field(&self, field: &str) -> Option<&Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    fn read<T>(
        &self,
        field: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        match self.field(field) {
            None => Ok(None),
            Some(value) => read(value).map_or_else(invalid, |value| Ok(Some(value))),
        }
    }
}

impl FieldWriter for Object {
    fn number(&mut self, field: &'static str, value: u64) {
        self.0.insert(field.to_owned(), json!(value));
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.0.insert(field.to_owned(), json!(value));
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.0.insert(field.to_owned(), json!(value.to_string()));
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.0.insert(field.to_owned(), json!(value));
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.0.insert(field.to_owned(), json!(value));
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        self.0.insert(field.to_owned(), object(write));
    }
}

impl FieldReader for Object {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let number = self.read(field, Value::as_u64)?;
        number.map(strict::number).transpose()
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        let ms = self.read(field, Value::as_i64)?;
        ms.map(strict::millis).transpose()
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.read(field, |value| strict::decimal(value.as_str()?).ok())
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        self.read(field, Value::as_bool)
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        self.read(field, |value| value.as_str().map(read))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        match self.field(field) {
            None => Ok(None),
            Some(Value::Object(within)) => read(&mut Object(within.clone())).map(Some),
            Some(_) => invalid(),
        }
    }
}

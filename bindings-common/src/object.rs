//! Objects of a host: of JavaScript, where numbers are doubles and 64-bit numbers have another type;
//! of Python, where numbers have any size.

use alloc::string::String;

use leafid_core::{Code, Refusal};
use leafid_wire::{FieldReader, FieldWriter, strict};

use crate::source::Source;

/// A plain object of the host.
pub trait Object: Sized {
    /// Reads a field.
    fn get(&self, field: &'static str) -> Value<'static, Self>;
    /// Writes a field.
    fn set(&mut self, field: &'static str, value: Value<'_, Self>);
    /// Makes an object without fields; `None` if the host cannot now.
    fn empty(&self) -> Option<Self>;
}

/// The value of a field of an [`Object`].
pub enum Value<'a, O> {
    /// Nothing, or the host's null.
    Absent,
    /// True or false.
    Flag(bool),
    /// A number.
    Number(f64),
    /// A 64-bit number: a bigint.
    Big(u64),
    /// A 64-bit time, which may lie before 1970: a bigint. If the host has one type of whole numbers
    /// (Python's `int`), any of them that was read.
    Moment(i64),
    /// A text to write.
    Text(&'a str),
    /// A text that was read.
    Owned(String),
    /// A nested object.
    Object(O),
    /// Anything that no field may contain.
    Other,
}

/// An object that is being written.
pub struct Writing<O>(pub O);

impl<O: Object> Writing<O> {
    /// Writes a 64-bit time.
    pub fn moment(&mut self, field: &'static str, ms: i64) {
        self.0.set(field, Value::Moment(ms));
    }
}

impl<O: Object> FieldWriter for Writing<O> {
    fn number(&mut self, field: &'static str, value: u64) {
        self.0.set(field, Value::Number(value as f64));
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.0.set(field, Value::Number(value as f64));
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.0.set(field, Value::Big(value));
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.0.set(field, Value::Flag(value));
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.0.set(field, Value::Text(value));
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        if let Some(mut inner) = self.0.empty().map(Writing) {
            write(&mut inner);
            self.0.set(field, Value::Object(inner.0));
        }
    }
}

/// An object that is being read.
pub struct Reading<O> {
    object: O,
    field: &'static str,
}

impl<O: Object> Reading<O> {
    /// Reads this object.
    pub fn new(object: O) -> Reading<O> {
        Reading { object, field: "" }
    }

    fn value(&mut self, field: &'static str) -> Value<'static, O> {
        self.field = field;
        self.object.get(field)
    }

    // Not generic, so that a wasm file contains this once.
    fn owned(&mut self, field: &'static str) -> Result<Option<String>, Refusal> {
        match self.value(field) {
            Value::Absent => Ok(None),
            Value::Owned(text) => Ok(Some(text)),
            _ => Err(invalid()),
        }
    }

    fn within(&mut self, field: &'static str) -> Result<Option<Reading<O>>, Refusal> {
        match self.value(field) {
            Value::Absent => Ok(None),
            Value::Object(object) => Ok(Some(Reading { object, field })),
            _ => Err(invalid()),
        }
    }
}

impl<O: Object> Source for Reading<O> {
    fn field(&self) -> &'static str {
        self.field
    }
}

impl<O: Object> FieldReader for Reading<O> {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let ms = self.millis(field)?;
        ms.map(|number| u64::try_from(number).map_err(|_| invalid())).transpose()
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        match self.value(field) {
            Value::Absent => Ok(None),
            Value::Number(number) => strict::double(number).map(Some),
            Value::Moment(number) => strict::millis(number).map(Some),
            _ => Err(invalid()),
        }
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        match self.value(field) {
            Value::Absent => Ok(None),
            Value::Big(big) => Ok(Some(big)),
            Value::Moment(number) => u64::try_from(number).map(Some).map_err(|_| invalid()),
            Value::Owned(text) => strict::decimal(&text).map(Some),
            _ => Err(invalid()),
        }
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        match self.value(field) {
            Value::Absent => Ok(None),
            Value::Flag(flag) => Ok(Some(flag)),
            _ => Err(invalid()),
        }
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        Ok(self.owned(field)?.map(|text| read(&text)))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        self.within(field)?.map(|mut object| read(&mut object)).transpose()
    }
}

fn invalid() -> Refusal {
    Refusal::new(Code::RequestInvalid)
}

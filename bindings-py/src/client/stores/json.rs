//! The fields of asks and grants as JSON: IDs and ticks are decimal strings.

use leafid_bindings::strict;
use leafid_core::{Code, FieldReader, FieldWriter, Refusal};
use serde_json::{Map, Value};

/// An object that is being written.
#[derive(Default)]
pub struct Writing(pub Map<String, Value>);

impl FieldWriter for Writing {
    fn number(&mut self, field: &'static str, value: u64) {
        self.0.insert(field.to_owned(), value.into());
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.0.insert(field.to_owned(), value.into());
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.0.insert(field.to_owned(), value.to_string().into());
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.0.insert(field.to_owned(), value.into());
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.0.insert(field.to_owned(), value.into());
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        let mut inner = Writing::default();
        write(&mut inner);
        self.0.insert(field.to_owned(), Value::Object(inner.0));
    }
}

/// An object that is being read; it remembers which field it looked at last.
pub struct Reading {
    object: Map<String, Value>,
    /// That field.
    pub field: &'static str,
}

impl Reading {
    /// Reads this object.
    pub fn new(object: Map<String, Value>) -> Reading {
        Reading { object, field: "" }
    }

    fn item(&mut self, field: &'static str) -> Option<&Value> {
        self.field = field;
        self.object.get(field).filter(|value| !value.is_null())
    }
}

fn invalid() -> Refusal {
    Refusal::new(Code::RequestInvalid)
}

impl FieldReader for Reading {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.item(field) else { return Ok(None) };
        value.as_u64().map(strict::number).transpose()?.map(Some).ok_or_else(invalid)
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.item(field) else { return Ok(None) };
        value.as_i64().map(strict::millis).transpose()?.map(Some).ok_or_else(invalid)
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.item(field) else { return Ok(None) };
        strict::decimal(value.as_str().ok_or_else(invalid)?).map(Some)
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        let Some(value) = self.item(field) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(invalid)
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.item(field) else { return Ok(None) };
        value.as_str().map(read).map(Some).ok_or_else(invalid)
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.item(field) else { return Ok(None) };
        let object = value.as_object().cloned().ok_or_else(invalid)?;
        read(&mut Reading { object, field }).map(Some)
    }
}

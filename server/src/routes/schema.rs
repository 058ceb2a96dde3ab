//! JSON schemas of what crosses the wire, recorded from the code that reads and writes it.

use leafid_core::{Code, FieldReader, FieldWriter, Layout, Refusal, Token};
use serde_json::{Map, Value, json};

use super::fields::described;

/// The schema of a 64-bit number: no line goes beyond 2^63 - 1.
pub fn big() -> Value {
    json!({ "type": "string", "pattern": "^(0|[1-9][0-9]{0,18})$" })
}

fn number() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn millis() -> Value {
    json!({ "type": "integer", "format": "int64" })
}

fn token() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
}

fn object(fields: Map<String, Value>, required: &[&'static str]) -> Value {
    json!({ "type": "object", "properties": fields, "required": required })
}

/// What an answer writes.
pub fn of_answer(write: impl FnOnce(&mut Written)) -> Value {
    let mut written = Written::default();
    write(&mut written);
    object(written.fields, &written.names)
}

/// What a request reads: a field without which reading fails is required, any that it does not
/// read is refused.
pub fn of_request<T>(read: impl Fn(&mut Read) -> Result<T, Refusal>) -> Value {
    let mut all = Read::default();
    let whole = read(&mut all);
    let is_required = |name: &&'static str| {
        let mut without = Read { absent: Some(name), ..Read::default() };
        whole.is_ok() && read(&mut without).is_err()
    };
    let required: Vec<_> = all.names.iter().copied().filter(is_required).collect();
    let optional = all.fields.iter_mut().filter(|(name, _)| !required.contains(&name.as_str()));
    for (_, schema) in optional {
        or_null(schema);
    }
    let mut schema = object(all.fields, &required);
    schema["additionalProperties"] = false.into();
    schema
}

/// An optional field may be null: that is the same as absent.
fn or_null(schema: &mut Value) {
    if let Some(choices) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        choices.push(json!({ "type": "null" }));
    } else {
        schema["type"] = json!([schema["type"], "null"]);
    }
}

/// Records what is written.
#[derive(Debug, Default)]
pub struct Written {
    fields: Map<String, Value>,
    names: Vec<&'static str>,
}

impl Written {
    /// Any field.
    pub fn field(&mut self, name: &'static str, schema: Value) {
        self.fields.insert(name.to_owned(), described(name, schema));
        self.names.push(name);
    }

    /// A field that is not always there.
    pub fn optional(&mut self, name: &'static str, schema: Value) {
        self.fields.insert(name.to_owned(), described(name, schema));
    }
}

impl FieldWriter for Written {
    fn number(&mut self, field: &'static str, _: u64) {
        self.field(field, number());
    }

    fn millis(&mut self, field: &'static str, _: i64) {
        self.field(field, millis());
    }

    fn big(&mut self, field: &'static str, _: u64) {
        self.field(field, big());
    }

    fn flag(&mut self, field: &'static str, _: bool) {
        self.field(field, json!({ "type": "boolean" }));
    }

    fn text(&mut self, field: &'static str, _: &str) {
        self.field(field, json!({ "type": "string" }));
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Written)) {
        self.field(field, of_answer(write));
    }

    fn token(&mut self, field: &'static str, _: Token) {
        self.field(field, token());
    }
}

/// Records what is read, and gives values that any reading accepts.
#[derive(Debug, Default)]
pub struct Read {
    fields: Map<String, Value>,
    names: Vec<&'static str>,
    /// A field that is not there.
    absent: Option<&'static str>,
}

impl Read {
    fn record<T>(
        &mut self,
        field: &'static str,
        schema: Value,
        value: T,
    ) -> Result<Option<T>, Refusal> {
        if self.absent == Some(field) {
            return Ok(None);
        }
        self.fields.insert(field.to_owned(), described(field, schema));
        self.names.push(field);
        Ok(Some(value))
    }
}

impl FieldReader for Read {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.record(field, number(), 1)
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        self.record(field, millis(), 0)
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        self.record(field, big(), 1)
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        self.record(field, json!({ "type": "boolean" }), false)
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        // No text of a request may be empty.
        self.record(field, json!({ "type": "string", "minLength": 1 }), read("leaf"))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Read) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let mut within = Read::default();
        let value = read(&mut within).map_err(|_| Code::RequestInvalid)?;
        let mut schema = object(within.fields, &within.names);
        schema["additionalProperties"] = false.into();
        self.record(field, schema, value)
    }

    fn token(&mut self, field: &'static str) -> Result<Option<Token>, Refusal> {
        self.record(field, token(), Token::new([0; 16]))
    }

    fn layout(&mut self, field: &'static str) -> Result<Option<Layout>, Refusal> {
        let schema = json!({ "oneOf": [
            { "$ref": "#/components/schemas/Layout" },
            { "type": "string", "enum": ["leaf", "edge", "long", "js53"] },
        ] });
        self.record(field, schema, Layout::LEAF)
    }
}

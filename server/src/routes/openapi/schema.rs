//! JSON schemas of objects.

use leafid_core::{Code, NAME_BYTES};
use leafid_wire::{FieldForm, FieldSchema, Object, Presence, http_status, strict};
use serde_json::{Map, Value, json};

use super::fields::BIG;

/// The pattern of names.
pub const NAME: &str = "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}";
/// No control characters.
const TEXT: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

/// The sender of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// A caller: unknown fields are refused, and null stands for an absent one.
    Caller,
    /// The store: defaults are always there, and a newer version may add fields.
    Store,
}

/// The schema of a request's body. Fields that its path carries need not be there.
pub fn request(body: Object, path: &str) -> Value {
    let mut schema = schema(body, From::Caller);
    for name in path.split('/').filter_map(braced) {
        let Some(property) = schema["properties"].get_mut(name) else { continue };
        let about = property["description"].as_str().unwrap_or_default();
        property["description"] = format!("{about} The path says it; a body may repeat it.").into();
        if let Some(required) = schema["required"].as_array_mut() {
            required.retain(|required| required != name);
        }
    }
    schema
}

/// The schema of an answer.
pub fn answer(object: Object) -> Value {
    schema(object, From::Store)
}

pub fn value(form: FieldForm) -> Value {
    of_form(form, From::Caller)
}

/// The name in braces of a part of a path's template.
pub fn braced(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

/// No answer shows the key of a lease.
fn schema(object: Object, from: From) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let told = |field: &&FieldSchema| from == From::Caller || field.name != "key";
    for field in object.iter().copied().flatten().filter(told) {
        let mut schema = of_form(field.form, from);
        if from == From::Caller && field.presence == Presence::Optional {
            or_null(&mut schema);
        }
        schema["description"] = field.about.into();
        properties.insert(field.name.to_owned(), schema);
        let is_required = match from {
            From::Caller => field.presence == Presence::Required,
            From::Store => field.presence != Presence::Optional,
        };
        if is_required {
            required.push(field.name);
        }
    }
    let mut schema = json!({ "type": "object", "properties": properties, "required": required });
    if from == From::Caller {
        schema["additionalProperties"] = false.into();
    }
    schema
}

fn of_form(form: FieldForm, from: From) -> Value {
    let layout = || json!({ "$ref": "#/components/schemas/Layout" });
    match form {
        FieldForm::Token => json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" }),
        FieldForm::Number { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        // No position goes beyond 2^63 - 1.
        FieldForm::Big { least: 0 } => {
            json!({ "type": "string", "pattern": "^(0|[1-9][0-9]{0,18})$" })
        }
        FieldForm::Big { .. } => json!({ "type": "string", "pattern": "^[1-9][0-9]{0,18}$" }),
        FieldForm::Millis => json!({
            "type": "integer", "format": "int64", "minimum": 0, "maximum": strict::EXACT,
        }),
        FieldForm::Flag => json!({ "type": "boolean" }),
        FieldForm::Name => json!({
            "type": "string", "minLength": 1, "maxLength": NAME_BYTES, "pattern": format!("^{NAME}$"),
        }),
        FieldForm::Text { least, most } => json!({
            "type": "string", "minLength": least, "maxLength": most, "pattern": TEXT,
        }),
        FieldForm::Layout if from == From::Store => layout(),
        FieldForm::Layout => json!({ "oneOf": [layout(), {
            "type": "string", "enum": ["leaf", "edge", "long", "js53"],
        }] }),
        FieldForm::Words => json!({ "type": "string" }),
        FieldForm::OneOf(texts) => json!({ "type": "string", "enum": texts }),
        FieldForm::Code => {
            let told = Code::ALL.iter().filter(|code| http_status(**code).is_some());
            json!({ "type": "string", "enum": told.map(|code| code.as_str()).collect::<Vec<_>>() })
        }
        FieldForm::Ids => json!({ "type": "array", "items": of_form(BIG, from) }),
        FieldForm::Object(object) => schema(object, from),
        FieldForm::Rows(object) => json!({ "type": "array", "items": schema(object, from) }),
    }
}

fn or_null(schema: &mut Value) {
    match schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        Some(choices) => choices.push(json!({ "type": "null" })),
        None => schema["type"] = json!([schema["type"], "null"]),
    }
}

//! JSON schemas of objects, from the core's tables of their fields.

use leafid_core::{FieldForm, FieldSchema, NAME_BYTES, Presence, strict};
use serde_json::{Map, Value, json};

/// How a name begins and goes on.
pub const NAME: &str = "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}";
/// No control characters.
const TEXT: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

/// An object of the API: its fields, in their order.
#[derive(Clone, Debug, Default)]
pub struct Shape(Vec<Field>);

#[derive(Clone, Debug)]
struct Field {
    name: &'static str,
    about: &'static str,
    presence: Presence,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// As in the core's tables.
    Plain(FieldForm),
    /// A text for people.
    Words,
    /// One of these texts.
    OneOf(Vec<&'static str>),
    /// IDs.
    Ids,
    /// An object.
    Within(Shape),
    /// Objects.
    Rows(Shape),
}

/// Who an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// A caller, who must say no more than is known, and may say null for what is absent.
    Caller,
    /// The store, which always says what is defaulted; a newer one may say more.
    Store,
}

impl Shape {
    /// The fields of a table.
    pub fn of(table: &[FieldSchema]) -> Shape {
        Shape::default().and(table)
    }

    /// These and the fields of another table.
    #[must_use]
    pub fn and(mut self, table: &[FieldSchema]) -> Shape {
        self.0.extend(table.iter().map(|field| Field {
            name: field.name,
            about: field.about,
            presence: field.presence,
            form: Form::Plain(field.form),
        }));
        self
    }

    /// These but for one.
    #[must_use]
    pub fn without(mut self, name: &str) -> Shape {
        self.0.retain(|field| field.name != name);
        self
    }

    /// These, of which this one may be absent.
    #[must_use]
    pub fn maybe(mut self, name: &str) -> Shape {
        let named = self.0.iter_mut().filter(|field| field.name == name);
        named.for_each(|field| field.presence = Presence::Optional);
        self
    }

    /// These and a text for people.
    #[must_use]
    pub fn words(self, name: &'static str, about: &'static str) -> Shape {
        self.with(name, about, Form::Words)
    }

    /// These and one of some texts.
    #[must_use]
    pub fn one_of(self, name: &'static str, about: &'static str, of: Vec<&'static str>) -> Shape {
        self.with(name, about, Form::OneOf(of))
    }

    /// These and an array of IDs.
    #[must_use]
    pub fn ids(self, name: &'static str, about: &'static str) -> Shape {
        self.with(name, about, Form::Ids)
    }

    /// These and an object.
    #[must_use]
    pub fn within(self, name: &'static str, about: &'static str, of: Shape) -> Shape {
        self.with(name, about, Form::Within(of))
    }

    /// These and an array of objects.
    #[must_use]
    pub fn rows(self, name: &'static str, about: &'static str, of: Shape) -> Shape {
        self.with(name, about, Form::Rows(of))
    }

    fn with(mut self, name: &'static str, about: &'static str, form: Form) -> Shape {
        self.0.push(Field { name, about, presence: Presence::Required, form });
        self
    }

    /// The schema of a request's body. What the template of its path says need not be there.
    pub fn request(mut self, path: &str) -> Value {
        let in_path: Vec<_> = path.split('/').filter_map(braced).collect();
        let mut repeated = Vec::new();
        for field in self.0.iter_mut().filter(|field| in_path.contains(&field.name)) {
            field.presence = Presence::Defaulted;
            repeated.push((field.name, field.about));
        }
        let mut schema = self.schema(From::Caller);
        for (name, about) in repeated {
            let about = format!("{about} The path says it; a body may repeat it.");
            schema["properties"][name]["description"] = about.into();
        }
        schema
    }

    /// The schema of an answer.
    pub fn answer(&self) -> Value {
        self.schema(From::Store)
    }

    fn schema(&self, from: From) -> Value {
        let mut properties = Map::new();
        for field in &self.0 {
            let mut schema = field.form.schema(from);
            // Null is the same as absent.
            if from == From::Caller && field.presence == Presence::Optional {
                or_null(&mut schema);
            }
            schema["description"] = field.about.into();
            properties.insert(field.name.to_owned(), schema);
        }
        let is_required = |field: &&Field| match from {
            From::Caller => field.presence == Presence::Required,
            From::Store => field.presence != Presence::Optional,
        };
        let required: Vec<_> = self.0.iter().filter(is_required).map(|field| field.name).collect();
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": required });
        if from == From::Caller {
            schema["additionalProperties"] = false.into();
        }
        schema
    }
}

/// The name that stands in braces, in a part of a path's template.
pub fn braced(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

impl Form {
    fn schema(&self, from: From) -> Value {
        match self {
            Form::Plain(form) => plain(*form, from),
            Form::Words => json!({ "type": "string" }),
            Form::OneOf(texts) => json!({ "type": "string", "enum": texts }),
            Form::Ids => {
                json!({ "type": "array", "items": plain(FieldForm::Big { least: 0 }, from) })
            }
            Form::Within(shape) => shape.schema(from),
            Form::Rows(shape) => json!({ "type": "array", "items": shape.schema(from) }),
        }
    }
}

/// The schema of a value, wherever it stands.
pub fn value(form: FieldForm) -> Value {
    plain(form, From::Caller)
}

fn plain(form: FieldForm, from: From) -> Value {
    match form {
        FieldForm::Token => json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" }),
        FieldForm::Number { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        // No line goes beyond 2^63 - 1.
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
        FieldForm::Object(table) => Shape::of(table).schema(from),
    }
}

fn layout() -> Value {
    json!({ "$ref": "#/components/schemas/Layout" })
}

fn or_null(schema: &mut Value) {
    match schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        Some(choices) => choices.push(json!({ "type": "null" })),
        None => schema["type"] = json!([schema["type"], "null"]),
    }
}

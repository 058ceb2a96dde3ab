//! The file of `leafid apply`, and its entries as requests to the API.

use std::fmt::{Display, Formatter};
use std::io::Read;

use leafid_core::Name;
use leafid_store::json::{Reader, Unique, shown, tree};
use leafid_store::problem::Problem;
use leafid_store::store::{NamespaceChange, TagChange};
use leafid_wire::{Fields, path};
use serde_json::{Map, Value, json};

use crate::cli::{args, invalid};
use crate::routes::input;
use crate::toml_text;

/// An entry of the file: a tag or a namespace.
pub struct Wanted {
    pub kind: &'static str,
    pub name: Name,
    /// Its path in the API.
    pub path: String,
    pub change: Change,
    /// The fields that the file gives, as the API takes them.
    pub fields: Map<String, Value>,
}

impl Display for Wanted {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)
    }
}

pub enum Change {
    Tag(TagChange),
    Namespace(NamespaceChange),
}

pub fn read(path: &str) -> Result<Vec<Wanted>, Problem> {
    let mut text = String::new();
    let read = match path {
        "-" => std::io::stdin().lock().read_to_string(&mut text).map(|_| ()),
        path => std::fs::read_to_string(path).map(|read| text = read),
    };
    read.map_err(|error| invalid(format!("cannot read `{}`: {error}", shown(path))))?;
    let mut file = parse(&text).map_err(|why| invalid(format!("in `{}`: {why}", shown(path))))?;
    let mut wanted = Vec::new();
    for section in ["tags", "namespaces"] {
        let entries = match file.remove(section) {
            None => Map::new(),
            Some(Value::Object(entries)) => entries,
            Some(_) => return Err(invalid(format!("`{section}` must be a table of names"))),
        };
        for (name, fields) in entries {
            let Value::Object(fields) = fields else {
                return Err(invalid(format!("`{section}.{}` must be a table", shown(&name))));
            };
            let entry = match section {
                "tags" => tag(&name, fields),
                _ => namespace(&name, fields),
            };
            wanted.push(entry.map_err(|problem| {
                let known = match (section, problem.detail.starts_with("unknown field")) {
                    (_, false) => "",
                    ("tags", _) => "; a tag has `from`, `step`, `max_step` and `until`",
                    _ => "; a namespace has `layout`, `workers` and `max_window`",
                };
                let (path, name) = (shown(path), shown(&name));
                let detail = format!("in `{path}`: `{section}.{name}`: {}{known}", problem.detail);
                Problem { detail, ..problem }
            })?);
        }
    }
    match file.keys().next() {
        Some(unknown) => Err(invalid(format!(
            "`{}` is not known in this file; it has `tags` and `namespaces`",
            shown(unknown)
        ))),
        None => Ok(wanted),
    }
}

fn parse(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim_start().starts_with('{') {
        return match serde_json::from_str(text) {
            Ok(Unique(Value::Object(file))) => Ok(file),
            Ok(_) => Err("it must be one object".to_owned()),
            Err(error) => Err(format!("it is not JSON: {error}")),
        };
    }
    toml_text::check(text)?;
    toml::from_str(text).map_err(|error| format!("it is not TOML: {error}"))
}

fn tag(name: &str, mut fields: Map<String, Value>) -> Result<Wanted, Problem> {
    for field in ["from", "until"] {
        // The API has 64-bit numbers as text, for JavaScript's sake.
        if let Some(number @ Value::Number(_)) = fields.get_mut(field) {
            *number = number.to_string().into();
        }
    }
    let name = input::tag(name)?;
    let change = Change::Tag(Reader::new(fields.clone()).all(TagChange::get)?);
    Ok(Wanted { kind: "tag", name, path: path::tag(name), change, fields })
}

fn namespace(name: &str, mut fields: Map<String, Value>) -> Result<Wanted, Problem> {
    let wrong = |field: &str, why: String| invalid(format!("field `{field}`: {why}"));
    if let Some(Value::String(range)) = fields.get("workers") {
        let range = args::range(range).map_err(|why| wrong("workers", why))?;
        fields["workers"] = json!({ "start": range.start, "end": range.end });
    }
    if let Some(length) = fields.remove("max_window") {
        let text = length.as_str().map_or_else(|| length.to_string(), str::to_owned);
        let ms = args::longest_window_ms(&text).map_err(|why| wrong("max_window", why))?;
        fields.insert("max_window_ms".to_owned(), ms.into());
    }
    let change = Reader::new(fields.clone()).all(NamespaceChange::get)?;
    if let Some(layout) = change.layout {
        fields["layout"] = tree(|to| layout.put(to));
    }
    let (name, change) = (input::namespace(name)?, Change::Namespace(change));
    Ok(Wanted { kind: "namespace", name, path: path::namespace(name), change, fields })
}

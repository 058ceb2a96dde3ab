//! What stands in a path or a query.

use leafid_core::FieldForm;
use leafid_wire::path;
use serde_json::{Value, json};

use super::schema::{NAME, braced, value};
use crate::routes::input::ROWS;

/// The parameters of a path, and of the query that it takes.
pub fn of(path: &str) -> Vec<Value> {
    let in_path = path.split('/').filter_map(braced).map(|name| parameter(name, "path", path));
    let in_query = query(path).iter().map(|name| parameter(name, "query", path));
    in_path.chain(in_query).collect()
}

fn query(path: &str) -> &'static [&'static str] {
    match path {
        path::DECODE => &["namespace"],
        path::TAGS | path::NAMESPACES | path::WORKERS => &["after", "limit"],
        _ => &[],
    }
}

fn parameter(name: &str, place: &str, path: &str) -> Value {
    let worker = FieldForm::Number { least: 0, most: u32::MAX.into() };
    let (schema, about, example) = match (name, path) {
        ("tag", _) => (value(FieldForm::Name), "The name of a tag.", json!("orders")),
        ("namespace", path::DECODE) => {
            let about = "The namespace that issued the ID; `default` if absent.";
            (value(FieldForm::Name), about, json!("default"))
        }
        ("namespace", _) => (value(FieldForm::Name), "The name of a namespace.", json!("edge")),
        ("worker", _) => (value(worker), "A worker number.", json!(7)),
        ("id", _) => {
            let id = value(FieldForm::Big { least: 0 });
            (id, "An ID, in decimal digits.", json!(super::examples::id().to_string()))
        }
        ("limit", _) => {
            let rows = FieldForm::Number { least: 1, most: ROWS.1.into() };
            (value(rows), "How many rows at most; 100 if absent.", json!(10))
        }
        (_, path::WORKERS) => {
            let first_page = json!({ "type": "string", "maxLength": 0 });
            let after = json!({ "anyOf": [value(worker), first_page] });
            (after, "The last worker number of the page before; empty for the first.", json!(41))
        }
        _ => {
            let after = json!({ "type": "string", "pattern": format!("^({NAME})?$") });
            (after, "The last name of the page before; empty for the first.", json!("orders"))
        }
    };
    json!({
        "name": name,
        "in": place,
        "required": place == "path",
        "description": about,
        "schema": schema,
        "example": example,
    })
}

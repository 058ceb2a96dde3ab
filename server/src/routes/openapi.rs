//! The OpenAPI description, made from one table of operations over the tables of fields.

mod fields;
mod schema;

use std::sync::LazyLock;

use leafid_core::registry::{NamespaceSpec, TagSpec};
use leafid_core::{AcquireAsk, Layout, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant};
use leafid_wire::{FieldForm, Fields, Object, path};
use serde_json::{Value, json};

use self::fields::SMALL;
use self::schema::{answer, braced, request, value};
use super::answer::Json;
use super::input::ROWS;

/// Paths that never need a token.
const PROBED: [&str; 3] = [path::HEALTHZ, path::READYZ, path::OPENAPI];

/// A method and a path, what they do, and the fields of the body and of the answer.
type Operation = (&'static str, &'static str, &'static str, Object, Object);

const NOTHING: Object = &[];
const WINDOW: Object = &[WindowGrant::SCHEMA];

const OPERATIONS: &[Operation] = &[
    ("post", path::LEASE, "lease numbers", &[SegmentAsk::SCHEMA], GRANT),
    ("post", path::NUMBERS, "single numbers", &[fields::COUNTED], &[fields::IDS]),
    ("post", path::ACQUIRE, "acquire a window", &[AcquireAsk::SCHEMA], WINDOW),
    ("post", path::RENEW, "renew a window", &[RenewAsk::SCHEMA], WINDOW),
    ("post", path::RELEASE, "give a window back", &[Release::SCHEMA], NOTHING),
    ("post", path::REVOKE, "an operator's release", NOTHING, NOTHING),
    ("put", path::ASIDE, ASIDE, &[fields::ASIDE], fields::WORKER_ROW),
    ("get", path::WORKERS, "who holds which number", NOTHING, &[fields::WORKERS]),
    ("post", path::SNOWFLAKES, "single snowflake IDs", &[fields::COUNTED], &[fields::IDS]),
    ("get", path::DECODE, "what an ID is made of", NOTHING, &[fields::DECODED]),
    ("get", path::TAGS, "tags", NOTHING, &[fields::TAGS]),
    ("get", path::TAG, "a tag", NOTHING, fields::TAG),
    ("put", path::TAG, "create or change a tag", &[TagSpec::SCHEMA], fields::TAG),
    ("delete", path::TAG, "delete a tag; its position is kept", NOTHING, NOTHING),
    ("post", path::ADVANCE, "move the position of a tag, only up", &[fields::ADVANCE], fields::TAG),
    ("get", path::NAMESPACES, "namespaces", NOTHING, &[fields::NAMESPACES]),
    ("get", path::NAMESPACE, "a namespace", NOTHING, fields::NAMESPACE),
    ("put", path::NAMESPACE, "create or change a namespace", SPACE, fields::NAMESPACE),
    ("get", path::NUMBERS_OF, STATES, NOTHING, &[fields::NUMBERS]),
    ("get", path::OVERVIEW, GLANCE, NOTHING, &[fields::OVERVIEW]),
    ("get", path::SERVERS, "the servers of the store", NOTHING, &[fields::SERVERS]),
    ("delete", path::SERVER, "remove a server that does not run", NOTHING, NOTHING),
    ("get", path::HEALTHZ, "whether the process lives", NOTHING, &[fields::ALIVE]),
    ("get", path::READYZ, "whether leases can be had", NOTHING, fields::READY),
    ("get", path::OPENAPI, "this description", NOTHING, NOTHING),
];
const GLANCE: &str = "stores, tags and namespaces at a glance";
const STATES: &str = "each worker number's state, and who holds them";
const ASIDE: &str = "set a worker number aside for what uses it outside of leafid, or take it over";
const GRANT: Object = &[SegmentGrant::SCHEMA];
const SPACE: Object = &[NamespaceSpec::SCHEMA];

pub(crate) async fn serve() -> Json {
    // All answers share one text.
    Json(text().into())
}

/// The description as text.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}", document()));
    &TEXT
}

fn document() -> Value {
    let mut paths = json!({});
    for operation in OPERATIONS {
        let (method, path, ..) = operation;
        paths[path][method] = described(operation);
    }
    let mut layout = request(&[Layout::SCHEMA], "");
    layout["description"] = "A layout: its widths are at most 63 bits together.".into();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "leafid",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": { "Layout": layout, "Problem": answer(&[fields::PROBLEM]) },
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token of `leafid token create`, where the server asks for one.",
            } },
        },
    })
}

fn described((method, path, summary, body, given): &Operation) -> Value {
    let problem = json!({ "schema": { "$ref": "#/components/schemas/Problem" } });
    let mut described = json!({
        "summary": summary,
        "parameters": parameters(path),
        "responses": {
            "200": {
                "description": "done",
                "content": { "application/json": { "schema": answer(given) } },
            },
            "default": {
                "description": "a problem: `code` says which",
                "content": { "application/problem+json": problem },
            },
        },
    });
    if !PROBED.contains(path) {
        described["security"] = json!([{}, { "token": [] }]);
    }
    if matches!(*method, "post" | "put") {
        let content = json!({ "application/json": { "schema": request(body, path) } });
        described["requestBody"] = json!({ "required": true, "content": content });
    }
    described
}

/// The parameters of a path and of its query.
fn parameters(path: &str) -> Vec<Value> {
    let query: &[&str] = match path {
        path::DECODE => &["namespace"],
        path::TAGS | path::NAMESPACES | path::WORKERS => &["after", "limit"],
        _ => &[],
    };
    let in_path = path.split('/').filter_map(braced).map(|name| parameter(name, "path", path));
    in_path.chain(query.iter().map(|name| parameter(name, "query", path))).collect()
}

/// The examples name what the test of the description creates beforehand.
fn parameter(name: &str, place: &str, path: &str) -> Value {
    let first_page = json!({ "type": "string", "maxLength": 0 });
    let rows = FieldForm::Number { least: 1, most: ROWS.1 as u64 };
    let (schema, about, example) = match (name, path) {
        ("tag", _) => (value(FieldForm::Name), "The name of a tag.", json!("orders")),
        ("namespace", path::DECODE) => {
            let about = "The namespace that issued the ID; `default` if absent.";
            (value(FieldForm::Name), about, json!("default"))
        }
        ("namespace", _) => (value(FieldForm::Name), "The name of a namespace.", json!("edge")),
        ("server", _) => {
            (json!({ "type": "string" }), "A server's name, or its id.", json!("host-a"))
        }
        ("worker", _) => (value(SMALL), "A worker number.", json!(7)),
        ("id", _) => {
            (value(fields::BIG), "An ID, in decimal digits.", json!("2144238342115696657"))
        }
        ("limit", _) => (value(rows), "How many rows at most; 100 if absent.", json!(10)),
        (_, path::WORKERS) => {
            let after = json!({ "anyOf": [value(SMALL), first_page] });
            (after, "The last worker number of the page before; empty for the first.", json!(41))
        }
        _ => {
            let after = json!({ "type": "string", "pattern": format!("^({})?$", schema::NAME) });
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

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use leafid_core::{StoreTime, Token};
    use leafid_store::fence::Sight;

    use super::*;
    use crate::routes::health::{Ready, put_ready};

    /// The description needs no token, and the server keeps an answer that a client does not read in memory.
    #[tokio::test]
    async fn it_is_not_copied_for_each_request() {
        let body = serve().await.into_response().into_body();
        let sent = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        assert_eq!((sent.as_ptr(), sent.len()), (text().as_ptr(), text().len()));
    }

    /// The answer of a server with a journal, after a fence and a loss: no test over HTTP has one.
    #[test]
    fn all_that_a_ready_store_says_is_described() {
        let now = StoreTime::new(1_800_000_000_000);
        let ready = Ready {
            store: Token::new([7; 16]),
            now,
            generation: 1,
            floor: now.plus(30_000),
            journal: Some(Sight::new(now, true)),
            stopped: Vec::new(),
            servers: 2,
            waits_for: vec![("host-b".to_owned(), Token::new([8; 16]))],
        };
        let written = leafid_wire::tree(|to| put_ready(to, &ready));
        let kinds = written.as_object().unwrap().iter().map(|(name, value)| match value {
            Value::String(_) => (name, "string"),
            Value::Bool(_) => (name, "boolean"),
            Value::Array(_) => (name, "array"),
            _ => (name, "integer"),
        });
        let described = answer(fields::READY);
        let described = described["properties"].as_object().unwrap();
        assert_eq!(described.len(), written.as_object().unwrap().len());
        for (name, kind) in kinds {
            assert_eq!(described[name]["type"], kind, "{name}");
        }
    }
}

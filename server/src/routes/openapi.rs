//! The description of the API for machines, from the code that serves it.

use std::sync::LazyLock;

use leafid_core::registry::{Namespace, TagRow, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, FieldWriter, Fields, Layout, Name, Range, Release, RenewAsk, SegmentAsk,
    SegmentGrant, StoreTime, Token, WindowGrant,
};
use serde_json::{Value, json};

use super::answer::Json;
use super::fields::{described, parameter};
use super::input::get_count;
use super::schema::{Written, big, of_answer, of_request};
use super::{decode, namespaces, tags, workers};
use crate::store::{NamespaceChange, TagChange};

/// `GET /openapi.json`
pub async fn get() -> Json {
    Json(text().to_owned())
}

/// The description as text.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}", document()));
    &TEXT
}

fn document() -> Value {
    let mut paths = json!({});
    for operation in operations() {
        let (path, method) = (operation.path, operation.method.to_lowercase());
        paths[path][method] = operation.describe();
    }
    let codes: Vec<_> = Code::ALL.iter().filter(|code| code.http_status().is_some()).collect();
    let codes: Vec<_> = codes.into_iter().map(|code| code.as_str()).collect();
    let mut problem = of_answer(|to| {
        to.text("type", "");
        to.text("title", "");
        to.number("status", 0);
        to.field("code", json!({ "type": "string", "enum": codes }));
        to.text("detail", "");
        to.text("request_id", "");
    });
    for field in ["retry_after_ms", "free_at_ms"] {
        problem["properties"][field] = described(field, json!({ "type": "integer" }));
    }
    let mut layout = of_request(Layout::get);
    layout["description"] = "a layout: its widths are at most 63 bits together".into();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "leafid",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": { "schemas": { "Layout": layout, "Problem": problem } },
    })
}

struct Operation {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    query: &'static [&'static str],
    request: Option<Value>,
    answer: Value,
}

impl Operation {
    fn describe(self) -> Value {
        let within =
            self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let mut parameters: Vec<_> =
            within.map(|name| parameter(name, "path", self.path)).collect();
        parameters.extend(self.query.iter().map(|name| parameter(name, "query", self.path)));
        let problem = json!({ "$ref": "#/components/schemas/Problem" });
        let mut described = json!({
            "summary": self.summary,
            "parameters": parameters,
            "responses": {
                "200": {
                    "description": "done",
                    "content": { "application/json": { "schema": self.answer } },
                },
                "default": {
                    "description": "a problem: `code` says which",
                    "content": { "application/problem+json": { "schema": problem } },
                },
            },
        });
        if let Some(mut schema) = self.request {
            // The path says these; a body may repeat them.
            if let Some(required) = schema["required"].as_array_mut() {
                required.retain(|field| field != "tag" && field != "namespace");
            }
            described["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        }
        described
    }
}

const TOKEN: Token = Token::new([0; 16]);
const LIST: &[&str] = &["after", "limit"];

fn operations() -> Vec<Operation> {
    let operation = |method, path, summary, request, answer| {
        let query: &[&str] = match path {
            "/v1/decode/{id}" => &["namespace"],
            "/v1/tags" | "/v1/namespaces" | "/v1/workers/{namespace}" => LIST,
            _ => &[],
        };
        Operation { method, path, summary, query, request, answer }
    };
    let post =
        |path, summary, request, answer| operation("POST", path, summary, Some(request), answer);
    let get = |path, summary, answer| operation("GET", path, summary, None, answer);
    let nothing = || of_answer(|_| {});
    let ids = || of_answer(|to| to.field("ids", json!({ "type": "array", "items": big() })));
    vec![
        post("/v1/segments/{tag}/lease", "lease numbers", of_request(SegmentAsk::get), numbers()),
        post("/v1/segments/{tag}/ids", "single numbers", of_request(get_count), ids()),
        post(
            "/v1/workers/{namespace}/acquire",
            "acquire a window",
            of_request(AcquireAsk::get),
            window(),
        ),
        post(
            "/v1/workers/{namespace}/renew",
            "renew a window",
            of_request(RenewAsk::get),
            window(),
        ),
        post(
            "/v1/workers/{namespace}/release",
            "give a window back",
            of_request(Release::get),
            nothing(),
        ),
        post(
            "/v1/workers/{namespace}/{worker}/release",
            "an operator's release",
            of_request(|_| Ok(())),
            nothing(),
        ),
        get(
            "/v1/workers/{namespace}",
            "who holds which number",
            of_answer(|to| {
                to.millis("now_ms", 0);
                rows(to, "workers", worker);
            }),
        ),
        post("/v1/snowflake/{namespace}/ids", "single snowflake IDs", of_request(get_count), ids()),
        get("/v1/decode/{id}", "what an ID is made of", of_answer(decoded)),
        get("/v1/tags", "tags", list("tags", tag)),
        get("/v1/tags/{tag}", "a tag", of_answer(tag)),
        operation(
            "PUT",
            "/v1/tags/{tag}",
            "create or change a tag",
            Some(of_request(TagChange::get)),
            of_answer(tag),
        ),
        operation(
            "DELETE",
            "/v1/tags/{tag}",
            "delete a tag; its position is kept",
            None,
            nothing(),
        ),
        post(
            "/v1/tags/{tag}/advance",
            "move the position of a tag, only up",
            of_request(tags::get_to),
            of_answer(tag),
        ),
        get("/v1/namespaces", "namespaces", list("namespaces", namespace)),
        get("/v1/namespaces/{namespace}", "a namespace", of_answer(namespace)),
        operation(
            "PUT",
            "/v1/namespaces/{namespace}",
            "create or change a namespace",
            Some(of_request(NamespaceChange::get)),
            of_answer(namespace),
        ),
        get("/healthz", "whether the process lives", of_answer(|to| to.text("status", ""))),
        get(
            "/readyz",
            "whether leases can be had",
            of_answer(|to| {
                to.field("status", json!({ "type": "string", "enum": ["ok", "degraded"] }));
                to.token("store", TOKEN);
                to.millis("now_ms", 0);
                to.field("went_back", json!({ "type": "array", "items": line() }));
            }),
        ),
        get("/openapi.json", "this description", json!({ "type": "object" })),
    ]
}

fn list(field: &'static str, row: fn(&mut Written)) -> Value {
    of_answer(|to| rows(to, field, row))
}

fn rows(to: &mut Written, field: &'static str, row: fn(&mut Written)) {
    to.field(field, json!({ "type": "array", "items": of_answer(row) }));
}

/// A line that went back: a tag with `max_id`, or a worker number with `reserved_until`.
fn line() -> Value {
    let mut line = of_answer(|to| {
        to.text("tag", "");
        to.text("namespace", "");
        to.number("worker", 0);
        to.big("have_until", 0);
        to.big("max_id", 0);
        to.big("reserved_until", 0);
    });
    line["required"] = json!(["have_until"]);
    line
}

fn numbers() -> Value {
    of_answer(|to| {
        SegmentGrant {
            request: TOKEN,
            store: TOKEN,
            tag: Name::EMPTY,
            range: Range::new(0, 0),
            step: 0,
            max_step: 0,
            remaining: 0,
            now: StoreTime::new(0),
        }
        .put(to);
    })
}

fn window() -> Value {
    of_answer(|to| {
        WindowGrant {
            request: TOKEN,
            store: TOKEN,
            worker: 0,
            ticks: Range::new(0, 0),
            layout: Layout::LEAF,
            now: StoreTime::new(0),
            max_window_ms: 0,
        }
        .put(to);
    })
}

fn tag(to: &mut Written) {
    let row = TagRow { max_id: 1, step: 1, max_step: 1, deleted: false, until: None };
    tags::put_row(to, &Name::EMPTY, &row);
    to.optional("until", big());
}

fn namespace(to: &mut Written) {
    if let Ok(row) = Namespace::create(Layout::LEAF, None, None) {
        namespaces::put_row(to, &Name::EMPTY, &row);
    }
}

fn worker(to: &mut Written) {
    workers::put_row(to, 0, &WorkerRow::default(), &Layout::LEAF);
}

fn decoded(to: &mut Written) {
    if let Ok(parts) = Layout::LEAF.decompose(0) {
        decode::put_parts(to, (0, parts), &Layout::LEAF, Some(&Name::EMPTY));
    }
}

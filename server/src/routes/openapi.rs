//! The description of the API for machines: the fields from the core's tables, the examples from the
//! code that serves them.

mod examples;
mod glance;
mod parameters;
mod schema;
mod shapes;

use std::sync::LazyLock;

use leafid_core::registry::{NamespaceSpec, TagSpec};
use leafid_core::{
    AcquireAsk, Fields, Layout, Refusal, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime,
    WindowGrant,
};
use leafid_wire::{path, tree};
use serde_json::{Value, json};

use self::examples::{Story, list};
use self::schema::Shape;
use super::answer::Json;
use super::health::put_alive;

/// What is answered without a token in any case.
const PROBED: [&str; 3] = [path::HEALTHZ, path::READYZ, path::OPENAPI];

/// `GET /openapi.json`
pub async fn get() -> Json {
    // Whoever asks for it has it from here, and makes nobody keep a copy.
    Json(text().into())
}

/// The description as text.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| match document() {
        Ok(document) => format!("{document:#}"),
        // The story of the examples is refused by nobody: a test reads it.
        Err(refusal) => format!("{{\"refused\": \"{}\"}}", refusal.code),
    });
    &TEXT
}

fn document() -> Result<Value, Refusal<StoreTime>> {
    let story = Story::tell()?;
    let mut paths = json!({});
    for operation in operations(&story) {
        let (path, method) = (operation.path, operation.method.to_lowercase());
        paths[path][method] = operation.describe(&story);
    }
    let mut layout = Shape::of(Layout::SCHEMA).request("");
    layout["description"] = "A layout: its widths are at most 63 bits together.".into();
    let problem = shapes::problem().answer();
    Ok(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "leafid",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": { "Layout": layout, "Problem": problem },
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token of `leafid token create`, where the server asks for one.",
            } },
        },
    }))
}

/// What is asked of a path.
struct Operation {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    /// The body, and an example of it.
    request: Option<(Shape, Value)>,
    /// The answer, and an example of it.
    answer: Option<(Shape, Value)>,
}

impl Operation {
    fn describe(self, story: &Story) -> Value {
        let problem = json!({ "$ref": "#/components/schemas/Problem" });
        let done = match self.answer {
            Some((shape, example)) => json!({ "schema": shape.answer(), "example": example }),
            None => json!({ "schema": { "type": "object" } }),
        };
        let mut described = json!({
            "summary": self.summary,
            "parameters": parameters::of(self.path),
            "responses": {
                "200": { "description": "done", "content": { "application/json": done } },
                "default": {
                    "description": "a problem: `code` says which",
                    "content": { "application/problem+json": {
                        "schema": problem, "example": story.problem(),
                    } },
                },
            },
        });
        if !PROBED.contains(&self.path) {
            described["security"] = json!([{}, { "token": [] }]);
        }
        if let Some((shape, example)) = self.request {
            let body = json!({ "schema": shape.request(self.path), "example": example });
            described["requestBody"] =
                json!({ "required": true, "content": { "application/json": body } });
        }
        described
    }
}

fn operations(story: &Story) -> Vec<Operation> {
    let (lease, numbers) = story.lease();
    let (acquire, window) = story.acquire();
    let (renew, renewed) = story.renew();
    let (aside, set_aside) = story.aside();
    let (tag_spec, tag) = story.tag();
    let (to, advanced) = story.advance();
    let (space_spec, space) = story.namespace();
    let count = || Some((shapes::count(), json!({ "count": 3 })));
    let ids = |ids: &[u64]| Some((shapes::ids(), tree(|to| to.ids("ids", ids))));
    let nothing = || Some((shapes::nothing(), json!({})));
    let a_tag = || Some((shapes::tag(), tag.clone()));
    let a_space = || Some((shapes::namespace(), space.clone()));
    let operation = |method, path, summary, request, answer| Operation {
        method,
        path,
        summary,
        request,
        answer,
    };
    let post = |path, summary, request, answer| operation("POST", path, summary, request, answer);
    let get = |path, summary, answer| operation("GET", path, summary, None, answer);
    let put = |path, summary, request, answer| operation("PUT", path, summary, request, answer);
    vec![
        post(
            path::LEASE,
            "lease numbers",
            Some((Shape::of(SegmentAsk::SCHEMA), lease)),
            Some((Shape::of(SegmentGrant::SCHEMA), numbers)),
        ),
        post(path::NUMBERS, "single numbers", count(), ids(&[5_001_001, 5_001_002, 5_001_003])),
        post(
            path::ACQUIRE,
            "acquire a window",
            Some((Shape::of(AcquireAsk::SCHEMA), acquire)),
            Some((Shape::of(WindowGrant::SCHEMA), window)),
        ),
        post(
            path::RENEW,
            "renew a window",
            Some((Shape::of(RenewAsk::SCHEMA), renew)),
            Some((Shape::of(WindowGrant::SCHEMA), renewed)),
        ),
        post(
            path::RELEASE,
            "give a window back",
            Some((Shape::of(Release::SCHEMA), story.release())),
            nothing(),
        ),
        post(path::REVOKE, "an operator's release", nothing(), nothing()),
        put(
            path::ASIDE,
            "set a worker number aside for what uses it outside of leafid, or take it over",
            Some((shapes::aside(), aside)),
            Some((shapes::worker(), set_aside)),
        ),
        get(path::WORKERS, "who holds which number", Some((shapes::workers(), story.workers()))),
        post(
            path::SNOWFLAKES,
            "single snowflake IDs",
            count(),
            ids(&[examples::id(), examples::id() + 1, examples::id() + 2]),
        ),
        get(path::DECODE, "what an ID is made of", Some((shapes::decoded(), story.decoded()))),
        get(path::TAGS, "tags", Some((shapes::tags(), list("tags", tag.clone())))),
        get(path::TAG, "a tag", a_tag()),
        put(
            path::TAG,
            "create or change a tag",
            Some((Shape::of(TagSpec::SCHEMA), tag_spec)),
            a_tag(),
        ),
        operation("DELETE", path::TAG, "delete a tag; its position is kept", None, nothing()),
        post(
            path::ADVANCE,
            "move the position of a tag, only up",
            Some((shapes::to(), to)),
            Some((shapes::tag(), advanced)),
        ),
        get(
            path::NAMESPACES,
            "namespaces",
            Some((shapes::namespaces(), list("namespaces", space.clone()))),
        ),
        get(path::NAMESPACE, "a namespace", a_space()),
        put(
            path::NAMESPACE,
            "create or change a namespace",
            Some((Shape::of(NamespaceSpec::SCHEMA), space_spec)),
            a_space(),
        ),
        get(
            path::NUMBERS_OF,
            "the state of each worker number, and who holds them",
            Some((glance::numbers(), story.numbers())),
        ),
        get(
            path::OVERVIEW,
            "stores, tags and namespaces at a glance",
            Some((glance::overview(), story.overview())),
        ),
        get(path::HEALTHZ, "whether the process lives", Some((shapes::alive(), tree(put_alive)))),
        get(path::READYZ, "whether leases can be had", Some((shapes::ready(), story.ready()))),
        get(path::OPENAPI, "this description", None),
    ]
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    /// Nobody needs a token for it, and whoever does not take in the answer makes the server keep it.
    #[tokio::test]
    async fn it_is_not_copied_for_each_request() {
        let body = get().await.into_response().into_body();
        let sent = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        assert_eq!((sent.as_ptr(), sent.len()), (text().as_ptr(), text().len()));
    }
}

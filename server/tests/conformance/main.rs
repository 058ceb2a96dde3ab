//! The conformance suite of a store (`tests/vectors`, scripts of kind `store`), replayed against
//! every back end through the paths of the API, with an injected clock.

#[cfg(unix)]
mod engines;
mod races;
mod ranges;
mod troubled;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use leafid_core::{StoreTime, Token};
use leafid_server::app::{App, Config};
use leafid_server::http::router;
use leafid_store::backends::opening::Options;
use leafid_store::clock::ManualClock;
use leafid_store::opening::open_sqlite;
use leafid_store::registry::Registry;
use serde_json::{Map, Value, json};
use tower::ServiceExt;

use races::World;
use troubled::Trouble;

type Open = fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry>;

const BACK_ENDS: [(&str, Open); 2] = [("sqlite", sqlite), ("every third race lost", beaten)];

fn sqlite(folder: &Path, id: Token, clock: Arc<ManualClock>) -> Arc<Registry> {
    let options = Options { create: true, id: Some(id), ..Options::default() };
    let store = open_sqlite(&folder.join("store.db"), clock, &options);
    Arc::new(store.expect("the store opens"))
}

fn beaten(folder: &Path, id: Token, clock: Arc<ManualClock>) -> Arc<Registry> {
    let world = World { clock, ..World::new() };
    Arc::new(world.server_at(folder, id, Trouble::EveryThirdRace))
}

#[tokio::test]
async fn back_ends_give_what_the_vectors_say() {
    for (back_end, open) in BACK_ENDS {
        conforms(back_end, open).await;
    }
}

async fn conforms(
    back_end: &str,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry> + Copy,
) {
    let mut replayed = 0;
    for file in ["registry", "errors"] {
        let path = vectors().join(format!("{file}.json"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file: Value = serde_json::from_str(&text).expect("vectors are JSON");
        for script in list(&file["scripts"]).filter(|script| script["kind"] == "store") {
            let verdict = replay(script, open).await;
            verdict.unwrap_or_else(|why| panic!("{back_end}, {}: {why}", script["name"]));
            replayed += 1;
        }
    }
    println!("conformance: {back_end} {replayed} scripts");
    assert!(replayed >= 12, "only {replayed} scripts of kind `store` were found");
}

fn vectors() -> PathBuf {
    let by_default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    std::env::var_os("LEAFID_VECTORS").map_or_else(by_default, PathBuf::from)
}

/// The control: a store that gave one number more would be found.
#[tokio::test]
async fn a_wrong_answer_is_found() {
    let ask = json!({ "tag": "t", "request": "01010101010101010101010101010101" });
    let script = |end: &str| {
        json!({
            "store": "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
            "tags": [{ "tag": "t", "step": 10 }],
            "steps": [{ "at": "1800000000000", "do": "lease_segment", "ask": ask,
                        "gives": { "start": "1", "end": end } }],
        })
    };
    replay(&script("11"), sqlite).await.expect("ten numbers from 1 on");
    let why = replay(&script("12"), sqlite).await.expect_err("eleven are not right");
    assert!(why.contains("`end`"), "{why}");
}

async fn replay(
    script: &Value,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry>,
) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let id = Token::parse(script["store"].as_str().expect("a script names its store"));
    let clock = Arc::new(ManualClock::at(at(&script["steps"][0])));
    let store = open(folder.path(), id.expect("32 hex digits"), clock.clone());
    let config = Config { clock: clock.clone(), ..Config::default() };
    let router = router::local(App::new(&config, store).expect("the server starts"));

    for tag in list(&script["tags"]) {
        let made =
            call(&router, "PUT", &path("tags", &tag["tag"], ""), without(tag, "tag"), true).await;
        assert_eq!(made.0, 200, "{made:?}");
    }
    for namespace in list(&script["namespaces"]) {
        let path = path("namespaces", &namespace["namespace"], "");
        let made = call(&router, "PUT", &path, without(namespace, "namespace"), false).await;
        assert_eq!(made.0, 200, "{made:?}");
    }
    let mut bound = BTreeMap::new();
    for (number, step) in list(&script["steps"]).enumerate() {
        clock.set(at(step));
        let given = perform(&router, step, &bound).await;
        meets(&given, &step["gives"], &mut bound)
            .map_err(|why| format!("step {number}: {why}\nstep  {step}\ngiven {given}"))?;
    }
    Ok(())
}

async fn perform(router: &Router, step: &Value, bound: &BTreeMap<String, Value>) -> Value {
    let mut ask = step["ask"].clone();
    fill_in(&mut ask, bound);
    let (tag, namespace) = (&ask["tag"], &ask["namespace"]);
    let (method, path, body) = match step["do"].as_str().expect("a step says what to do") {
        "lease_segment" => ("POST", path("segments", tag, "/lease"), ask.clone()),
        "acquire" => ("POST", path("workers", namespace, "/acquire"), ask.clone()),
        "renew" => ("POST", path("workers", namespace, "/renew"), ask.clone()),
        "release" => ("POST", path("workers", namespace, "/release"), ask.clone()),
        "revoke" => {
            let tail = format!("/{}/release", step["worker"]);
            ("POST", path("workers", &step["namespace"], &tail), json!({}))
        }
        "set_workers" => {
            let body = json!({ "workers": step["workers"] });
            ("PUT", path("namespaces", &step["namespace"], ""), body)
        }
        "delete_tag" => ("DELETE", path("tags", &step["tag"], ""), json!({})),
        "create_tag" => {
            let mut change = Map::new();
            for field in ["from", "step", "max_step", "until"] {
                step.get(field).map(|value| change.insert(field.to_owned(), value.clone()));
            }
            ("PUT", path("tags", &step["tag"], ""), Value::Object(change))
        }
        other => panic!("no verb `{other}`"),
    };
    let only_create = step["do"] == "create_tag";
    let (status, answer) = call(router, method, &path, body, only_create).await;
    if status == 200 {
        return answer;
    }
    let mut refusal = json!({ "code": answer["code"] });
    if let Some(until) = answer["free_at_ms"].as_i64() {
        refusal["until"] = until.to_string().into();
    }
    refusal
}

async fn call(
    router: &Router,
    method: &str,
    path: &str,
    body: Value,
    only_create: bool,
) -> (u16, Value) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost")
        .header("content-type", "application/json");
    if only_create {
        request = request.header("if-none-match", "*");
    }
    let request = request.body(Body::from(body.to_string())).expect("a request");
    let response = router.clone().oneshot(request).await.expect("routers never fail");
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    (status, serde_json::from_slice(&body).expect("answers are JSON"))
}

fn meets(
    given: &Value,
    expected: &Value,
    bound: &mut BTreeMap<String, Value>,
) -> Result<(), String> {
    if let Some(name) = expected.as_str().filter(|text| text.starts_with('$')) {
        return match bound.get(name) {
            Some(known) if known == given => Ok(()),
            Some(known) => Err(format!("`{name}` is {given}, but was {known}")),
            None if bound.values().any(|other| other == given) => {
                Err(format!("`{name}` is {given}, as another name is"))
            }
            None => {
                bound.insert(name.to_owned(), given.clone());
                Ok(())
            }
        };
    }
    let (Some(given), Some(expected)) = (given.as_object(), expected.as_object()) else {
        return if given == expected { Ok(()) } else { Err(format!("{given} is not {expected}")) };
    };
    for (field, expected) in expected {
        let given = given.get(field).unwrap_or(&Value::Null);
        meets(given, expected, bound).map_err(|why| format!("`{field}`: {why}"))?;
    }
    let refused = given.contains_key("code") && !expected.contains_key("code");
    if refused { Err(format!("it was refused: {}", given["code"])) } else { Ok(()) }
}

fn fill_in(value: &mut Value, bound: &BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| fill_in(value, bound)),
        Value::String(text) if text.starts_with('$') => {
            let known = bound.get(text.as_str());
            *value = known.unwrap_or_else(|| panic!("`{text}` is not bound yet")).clone();
        }
        _ => {}
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn without(value: &Value, field: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().expect("an object").remove(field);
    value
}

fn at(step: &Value) -> StoreTime {
    let text = step["at"].as_str().expect("a step has `at`");
    StoreTime::new(text.parse().expect("`at` is a number"))
}

fn path(kind: &str, name: &Value, tail: &str) -> String {
    let name = name.as_str().unwrap_or("");
    let name: String = name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    format!("/v1/{kind}/{name}{tail}")
}

//! The API's description matches what the server serves. Schemathesis tests the schemas themselves
//! (`cargo xtask test --only description`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{JSON, Server, request, until};

/// The methods of a path, from the server's router.
fn verbs(server: &Server, path: &str) -> Vec<String> {
    let path = path.replace("{worker}", "1").replace(['{', '}'], "");
    let answer = server.send("OPTIONS", &path, &[], "");
    assert_eq!(answer.status, 405, "{path}: {answer:?}");
    let allow = answer.header("allow").expect("a 405 says what is allowed");
    let mut verbs: Vec<_> = allow.split(',').map(|verb| verb.trim().to_lowercase()).collect();
    verbs.retain(|verb| verb != "head");
    verbs.sort();
    verbs
}

#[test]
fn every_path_is_described_with_its_verbs() {
    let server = Server::fresh();
    let document = server.get("/openapi.json").ok();
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 20);
    for (path, operations) in paths {
        let mut described: Vec<_> = operations.as_object().unwrap().keys().cloned().collect();
        described.sort();
        assert_eq!(described, verbs(&server, path), "{path}");
    }
}

#[test]
fn what_a_request_needs_is_described() {
    let document: Value = serde_json::from_str(leafid_server::routes::openapi::text()).unwrap();
    for (path, verb, needs) in [
        ("/v1/segments/{tag}/lease", "post", json!(["request"])),
        (
            "/v1/workers/{namespace}/renew",
            "post",
            json!(["request", "store", "worker", "key", "have_until"]),
        ),
        ("/v1/tags/{tag}", "put", json!([])),
    ] {
        let content = &document["paths"][path][verb]["requestBody"]["content"];
        assert_eq!(content["application/json"]["schema"]["required"], needs, "{path}");
    }
}

fn agrees(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(place) = schema["$ref"].as_str() {
        let schema = document.pointer(place.trim_start_matches('#')).ok_or("it has no schema")?;
        return agrees(document, schema, value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = choices.iter().filter(|choice| agrees(document, choice, value).is_ok()).count();
        return if fits == 1 { Ok(()) } else { Err(format!("{value} fits {fits} of {schema}")) };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if schema["type"] != kind
        && !schema["type"].as_array().is_some_and(|k| k.contains(&json!(kind)))
    {
        return Err(format!("{value} is a {kind}, not {}", schema["type"]));
    }
    let bound = |key: &str, otherwise| schema[key].as_i64().unwrap_or(otherwise);
    let within = |n: i64| (bound("minimum", i64::MIN)..=bound("maximum", i64::MAX)).contains(&n);
    if value.as_i64().is_some_and(|n| !within(n)) {
        return Err(format!("{value} is out of bounds: {schema}"));
    }
    if schema["enum"].as_array().is_some_and(|of| !of.contains(value)) {
        return Err(format!("{value} is none of {}", schema["enum"]));
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        agrees(document, &schema["items"], item).map_err(|wrong| format!("{at}: {wrong}"))?;
    }
    let Some(fields) = value.as_object() else { return Ok(()) };
    for (name, field) in fields {
        let schema = &schema["properties"][name];
        if schema.is_null() {
            return Err(format!("`{name}` is not described"));
        }
        agrees(document, schema, field).map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    let required = schema["required"].as_array().into_iter().flatten();
    match required.map(|name| name.as_str().unwrap()).find(|name| !fields.contains_key(*name)) {
        Some(name) => Err(format!("`{name}` is missing")),
        None => Ok(()),
    }
}

struct Described {
    server: Server,
    document: Value,
    asked: BTreeSet<(String, String)>,
}

impl Described {
    fn start() -> Described {
        let server = Server::fresh();
        let document = server.get("/openapi.json").ok();
        Described { server, document, asked: BTreeSet::new() }
    }

    fn schema(&self, method: &str, path: &str, within: &str) -> &Value {
        let operation = &self.document["paths"][path][method.to_lowercase()];
        let content = operation.pointer(within).unwrap_or_else(|| panic!("{method} {path}"));
        &content["content"]["application/json"]["schema"]
    }

    fn ask(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let operation = &self.document["paths"][path][method.to_lowercase()];
        let mut to = path.to_owned();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let value = parameter["example"].to_string();
            let name = format!("{{{}}}", parameter["name"].as_str().unwrap());
            to = to.replace(&name, value.trim_matches('"'));
        }
        let answer = match body {
            Value::Null => self.server.patient(method, &to, &[], ""),
            body => {
                let schema = self.schema(method, path, "/requestBody");
                agrees(&self.document, schema, body)
                    .unwrap_or_else(|wrong| panic!("{method} {to} {body}: {wrong}"));
                self.server.patient(method, &to, &[JSON], &body.to_string())
            }
        };
        let answer = answer.ok();
        if path != "/openapi.json" {
            let schema = self.schema(method, path, "/responses/200");
            agrees(&self.document, schema, &answer)
                .unwrap_or_else(|wrong| panic!("{method} {to} {answer}: {wrong}"));
        }
        self.asked.insert((path.to_owned(), method.to_lowercase()));
        answer
    }
}

/// Calls everything that a tag has but its deletion; gives the answer to a lease.
fn asks_of_tags(api: &mut Described) -> Value {
    let tag = "/v1/tags/{tag}";
    let made = json!({ "from": "5001", "step": 10, "max_step": 100, "until": "9007199254740992" });
    api.ask("PUT", tag, &made);
    let ask = json!({ "request": request(1), "at_least": 3, "have_until": null });
    let lease = api.ask("POST", "/v1/segments/{tag}/lease", &ask);
    api.ask("POST", "/v1/segments/{tag}/ids", &json!({ "count": 3 }));
    api.ask("POST", "/v1/tags/{tag}/advance", &json!({ "to": "6001" }));
    for path in [tag, "/v1/tags"] {
        api.ask("GET", path, &Value::Null);
    }
    lease
}

fn asks_of_workers(api: &mut Described) {
    let range = json!({ "start": 0, "end": 64 });
    let made = json!({ "layout": "edge", "workers": range, "max_window_ms": 600_000 });
    api.ask("PUT", "/v1/namespaces/{namespace}", &made);
    let aside = json!({ "owner": "192.0.2.2:54215", "until_ms": 1_735_700_000_000_u64 });
    let row = api.ask("PUT", "/v1/workers/{namespace}/{worker}", &aside);
    assert_eq!(row["reserved_until_ms"], 1_735_700_000_001_u64, "{row}");
    api.ask("POST", "/v1/workers/{namespace}/{worker}/release", &json!({}));
    api.ask("POST", "/v1/snowflake/{namespace}/ids", &json!({ "count": 3 }));
    let ask = json!({ "request": request(2), "owner": "host-7/4711", "layout": "edge",
        "length_ms": 60_000, "sticky": true, "strict": true });
    let grant = api.ask("POST", "/v1/workers/{namespace}/acquire", &ask);
    let (store, worker, key) = (&grant["store"], &grant["worker"], request(2));
    let ask = json!({ "request": request(3), "store": store, "worker": worker, "key": key,
        "have_until": grant["end"] });
    let renewed = api.ask("POST", "/v1/workers/{namespace}/renew", &ask);
    for path in ["/v1/workers/{namespace}", "/v1/namespaces/{namespace}/numbers"] {
        api.ask("GET", path, &Value::Null);
    }
    let back = json!({ "store": store, "worker": worker, "key": key,
        "unused_from": renewed["start"] });
    api.ask("POST", "/v1/workers/{namespace}/release", &back);
    for path in ["/v1/namespaces/{namespace}", "/v1/namespaces", "/v1/decode/{id}"] {
        api.ask("GET", path, &Value::Null);
    }
}

#[test]
fn every_operation_takes_and_answers_what_is_described() {
    let mut api = Described::start();
    let lease = asks_of_tags(&mut api);
    asks_of_workers(&mut api);
    for path in ["/openapi.json", "/healthz"] {
        api.ask("GET", path, &Value::Null);
    }
    // The answer then has a stopped tag, and a rate, once the tag was seen twice.
    let ahead = json!({ "have_until": "777001" });
    api.server.lease(4, &ahead).refused(409, "STORE_WENT_BACK");
    until(|| api.ask("GET", "/readyz", &Value::Null)["status"] == "degraded");
    until(|| {
        let seen = api.ask("GET", "/v1/overview", &Value::Null);
        let (tag, space) = (&seen["tags"][0], &seen["namespaces"][1]);
        assert_eq!(tag["recent"][0]["start"], lease["start"], "{seen}");
        tag["per_day"].is_string() && space["more_per_day"].is_string()
    });
    api.ask("DELETE", "/v1/tags/{tag}", &Value::Null);
    let problem = api.server.get("/v1/tags/ordres").json;
    let described = &api.document["components"]["schemas"]["Problem"];
    agrees(&api.document, described, &problem).unwrap();
    let codes = described["properties"]["code"]["enum"].as_array().unwrap();
    assert!(!codes.contains(&json!("GRANT_INVALID")), "that is a holder's own");

    let paths = api.document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, verbs)| {
        verbs.as_object().unwrap().keys().map(|verb| (path.clone(), verb.clone()))
    });
    assert_eq!(api.asked, operations.collect());
    assert_eq!(api.asked.len(), 23);
}

/// The control: an additional field, a missing field, a wrong type.
#[test]
fn an_answer_that_is_not_as_described_is_found() {
    let mut api = Described::start();
    let lease = asks_of_tags(&mut api);
    let schema = api.schema("POST", "/v1/segments/{tag}/lease", "/responses/200");
    for (field, value) in [("extra", json!(1)), ("start", json!(1)), ("tag", Value::Null)] {
        let mut other = lease.clone();
        other[field] = value;
        assert!(agrees(&api.document, schema, &other).is_err(), "{field}");
    }
    let mut less = lease.clone();
    less.as_object_mut().unwrap().remove("end");
    assert!(agrees(&api.document, schema, &less).is_err());
}

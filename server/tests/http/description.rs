//! The description of the API says what is served.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{JSON, Server, request, until};

/// The verbs of a path, as the server's router knows them.
fn verbs(server: &Server, path: &str) -> Vec<String> {
    let path = path.replace("{worker}", "1").replace(['{', '}'], "");
    let answer = server.send("OPTIONS", &path, &[], "");
    assert_eq!(answer.status, 405, "{path}: {answer:?}");
    let allow = answer.header("allow").expect("a 405 says what is allowed");
    let mut verbs: Vec<_> = allow.split(',').map(|verb| verb.trim().to_owned()).collect();
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
fn what_a_request_needs_and_takes_is_described() {
    let document: Value = serde_json::from_str(leafid_server::routes::openapi::text()).unwrap();
    let body = |path: &str, verb: &str| {
        document["paths"][path][verb]["requestBody"]["content"]["application/json"]["schema"]
            .clone()
    };
    let lease = body("/v1/segments/{tag}/lease", "post");
    assert_eq!(lease["required"], json!(["request"]));
    assert_eq!(lease["additionalProperties"], false);
    let fields: Vec<_> = lease["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 7, "{fields:?}");
    let renew = body("/v1/workers/{namespace}/renew", "post");
    assert_eq!(renew["required"], json!(["request", "store", "worker", "key", "have_until"]));
    assert_eq!(body("/v1/tags/{tag}", "put")["required"], json!([]));
    let codes = &document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    assert!(codes.as_array().unwrap().contains(&json!("WORKERS_EXHAUSTED")));
    assert!(!codes.as_array().unwrap().contains(&json!("GRANT_INVALID")));
}

/// Every schema of a field or a parameter, with the path to it.
fn fields<'d>(at: String, value: &'d Value, found: &mut Vec<(String, &'d Value)>) {
    for (name, child) in value.as_object().into_iter().flatten() {
        let below = format!("{at}/{name}");
        if name == "properties" {
            for (field, schema) in child.as_object().unwrap() {
                found.push((format!("{at}/{field}"), schema));
            }
        }
        fields(below, child, found);
    }
    for (index, child) in value.as_array().into_iter().flatten().enumerate() {
        if child["in"].is_string() {
            found.push((format!("{at}/{}", child["name"]), child));
        }
        fields(format!("{at}/{index}"), child, found);
    }
}

#[test]
fn every_field_is_described_and_every_field_of_a_request_is_bounded() {
    let document: Value = serde_json::from_str(leafid_server::routes::openapi::text()).unwrap();
    let mut found = Vec::new();
    fields(String::new(), &document, &mut found);
    assert!(found.len() > 100, "{}", found.len());
    let mut wrong = Vec::new();
    for (at, field) in found {
        if field["description"].as_str().is_none_or(str::is_empty) {
            wrong.push(format!("{at}: no description"));
        }
        let schema = if field["schema"].is_object() { &field["schema"] } else { field };
        let is = |kind: &str| match &schema["type"] {
            Value::Array(kinds) => kinds.contains(&json!(kind)),
            one => one == kind,
        };
        let is_asked = at.contains("/requestBody/") || field["in"].is_string();
        let has = |key: &str| !schema[key].is_null();
        if is_asked && is("integer") && !(has("minimum") && has("maximum")) {
            wrong.push(format!("{at}: a number without bounds"));
        }
        if is_asked && is("string") && !(has("pattern") || has("enum")) {
            wrong.push(format!("{at}: a text without a pattern"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A number's bounds in the description are the server's: at them it is taken, beyond them not.
#[test]
fn the_bounds_in_the_description_are_the_servers() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":1,"max_step":2147483647}"#).ok();
    let document = server.get("/openapi.json").ok();
    let layout = r#""epoch_ms":0,"tick_ms":1,"time_bits":1,"worker_bits":0,"sequence_bits":0"#;
    let layouts = format!(r#"{{"layout":{{{layout}}}}}"#);
    let acquire = format!(r#"{{"request":"{}","owner":"o"}}"#, request(1));
    let cases = [
        ("post", "/v1/segments/{tag}/ids", r#"{"count":1}"#.to_owned(), vec!["count"]),
        ("post", "/v1/snowflake/{namespace}/ids", r#"{"count":1}"#.to_owned(), vec!["count"]),
        (
            "post",
            "/v1/segments/{tag}/lease",
            format!(r#"{{"request":"{}"}}"#, request(1)),
            vec!["step", "at_least", "exactly"],
        ),
        ("put", "/v1/tags/{tag}", r#"{"step":1}"#.to_owned(), vec!["max_step", "step"]),
        ("post", "/v1/workers/{namespace}/acquire", acquire, vec!["length_ms"]),
        ("put", "/v1/namespaces/{namespace}", "{}".to_owned(), vec!["max_window_ms"]),
        (
            "put",
            "/v1/namespaces/{namespace}",
            layouts,
            vec!["epoch_ms", "tick_ms", "time_bits", "worker_bits", "sequence_bits"],
        ),
    ];
    let mut tried = 0;
    for (method, path, body, fields) in cases {
        for field in fields {
            let schema = &document["paths"][path][method]["requestBody"]["content"];
            let schema = &schema["application/json"]["schema"]["properties"];
            let within = &document["components"]["schemas"]["Layout"]["properties"];
            let is_nested = schema[field].is_null();
            let schema = if is_nested { &within[field] } else { &schema[field] };
            let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
            let (least, most) = (least.expect(field), most.expect(field));
            for (value, fits) in
                [(least, true), (most, true), (least - 1, false), (most + 1, false)]
            {
                let mut body: Value = serde_json::from_str(&body).unwrap();
                match is_nested {
                    true => body["layout"][field] = value.into(),
                    false => body[field] = value.into(),
                }
                // A namespace of its own for each, for a layout that was there would be changed.
                tried += 1;
                let fresh = format!("n{tried}");
                let name = if method == "put" { fresh.as_str() } else { "default" };
                let tag =
                    if method == "put" && field == "step" { fresh.as_str() } else { "orders" };
                let to = path.replace("{tag}", tag).replace("{namespace}", name);
                // Widths are at most 63 bits together.
                if field == "sequence_bits" && value == most {
                    body["layout"]["sequence_bits"] = (most - 1).into();
                }
                if method == "put" && field == "step" {
                    body["max_step"] = most.into();
                }
                let answer = server.send(&method.to_uppercase(), &to, &[JSON], &body.to_string());
                let what = format!("{method} {to} {body}: {answer:?}");
                assert_eq!(answer.status, if fits { 200 } else { 400 }, "{what}");
            }
        }
    }
    assert_eq!(tried, 14 * 4);
}

/// Whether a value has this schema's types, and all fields that must be there and no other.
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

/// A server that is asked for what its description says: body and answer are compared with it.
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

    /// The schema of a body or an answer.
    fn schema(&self, method: &str, path: &str, within: &str) -> &Value {
        let operation = &self.document["paths"][path][method.to_lowercase()];
        let content = operation.pointer(within).unwrap_or_else(|| panic!("{method} {path}"));
        &content["content"]["application/json"]["schema"]
    }

    /// Asks with the examples of the path's parameters.
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

/// Asks for all that is done with a tag but its end; the answer of a lease.
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
    api.ask("PUT", "/v1/workers/{namespace}/{worker}", &aside);
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
    // A tag that is stopped shows, and a rate once the tag was seen twice.
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
    agrees(&api.document, &api.document["components"]["schemas"]["Problem"], &problem).unwrap();

    let paths = api.document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, verbs)| {
        verbs.as_object().unwrap().keys().map(|verb| (path.clone(), verb.clone()))
    });
    assert_eq!(api.asked, operations.collect());
    assert_eq!(api.asked.len(), 23);
}

/// The control: a field more, a field less, another type.
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

#[test]
fn a_list_takes_the_pages_that_are_described() {
    let server = Server::fresh();
    for path in ["/v1/tags", "/v1/namespaces", "/v1/workers/default"] {
        for query in ["limit=1", "limit=1000", "after=", "after=7"] {
            server.get(&format!("{path}?{query}")).ok();
        }
    }
    server.get("/v1/tags?after=A").ok();
    server.get("/v1/workers/default?after=4294967295").ok();
}

#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let server = Server::fresh();
    // Null is the same as absent.
    for body in [r#"{"step":5.0}"#, r#"{"step":null}"#] {
        assert_eq!(server.put("/v1/tags/orders", body).ok()["step"], 5, "{body}");
    }
}

/// JavaScript holds no whole number above it.
const MAX_SAFE: i64 = (1 << 53) - 1;

#[test]
fn a_time_is_a_number_that_javascript_holds() {
    let server = Server::fresh();
    let layout = r#"{"layout":{"epoch_ms":0,"tick_ms":86400000,"time_bits":60,"worker_bits":2,"sequence_bits":1}}"#;
    let row = server.put("/v1/namespaces/long", layout).ok();
    assert_eq!(row["last_ms"], MAX_SAFE);
    let first = server.get("/v1/namespaces?after=default").ok()["namespaces"][0].take();
    assert_eq!(first, row);
    let parts = server.get("/v1/decode/9223372036854775807?namespace=long").ok();
    assert_eq!((&parts["time_ms"], &parts["worker"]), (&json!(MAX_SAFE), &json!(3)));
    assert_eq!(parts["tick"], ((1_u64 << 60) - 1).to_string());
}

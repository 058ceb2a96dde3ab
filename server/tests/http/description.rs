//! The description of the API says what is served.

use serde_json::{Value, json};

use crate::support::Server;

/// The verbs of a path, as the server's router knows them.
fn verbs(server: &Server, path: &str) -> Vec<String> {
    let path = path.replace("{worker}", "1").replace(['{', '}'], "");
    let answer = server.send("OPTIONS", &path, &[], "");
    assert_eq!(answer.status, 405, "{path}: {answer:?}");
    let allow = answer.headers.lines().find_map(|line| line.strip_prefix("allow: "));
    let allow = allow.expect("a 405 says what is allowed");
    let mut verbs: Vec<_> = allow.split(',').map(|verb| verb.trim().to_owned()).collect();
    verbs.retain(|verb| verb != "head");
    verbs.sort();
    verbs
}

#[test]
fn every_path_is_described_with_its_verbs() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let document = server.get("/openapi.json").ok();
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 16);
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
    assert_eq!(fields.len(), 6, "{fields:?}");
    let renew = body("/v1/workers/{namespace}/renew", "post");
    assert_eq!(renew["required"], json!(["request", "store", "worker", "key", "have_until"]));
    assert_eq!(body("/v1/tags/{tag}", "put")["required"], json!([]));
    let codes = &document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    assert!(codes.as_array().unwrap().contains(&json!("WORKERS_EXHAUSTED")));
    assert!(!codes.as_array().unwrap().contains(&json!("GRANT_INVALID")));
}

#[test]
fn the_committed_description_is_todays() {
    let committed = include_str!("../../openapi.json");
    let today = leafid_server::routes::openapi::text();
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert!(read(committed) == read(today), "leafid openapi > server/openapi.json");
}

//! The API's description has what the server serves. Schemathesis tests the schemas themselves
//! (`cargo xtask test --only description`).

use serde_json::json;

use crate::support::Server;

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
    assert_eq!(paths.len(), 22);
    for (path, operations) in paths {
        let mut described: Vec<_> = operations.as_object().unwrap().keys().cloned().collect();
        described.sort();
        assert_eq!(described, verbs(&server, path), "{path}");
    }
    let codes = &document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    assert!(!codes.as_array().unwrap().contains(&json!("GRANT_INVALID")), "that is a holder's own");
}

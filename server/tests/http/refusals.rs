//! Bad input gets a clear problem with its code, and loses nothing.

use serde_json::json;

use crate::cases::CASES;
use crate::support::{JSON, Server, message, request, until};

const REQUEST: &str = "000102030405060708090a0b0c0d0e0f";

#[test]
fn each_has_its_code_and_says_what_is_wrong() {
    let server = Server::fresh();
    let ready = server.get("/readyz").ok();
    server.put("/v1/tags/orders", r#"{"step":10}"#).ok();
    let used = r#"{"layout":"edge","workers":{"start":0,"end":4},"max_window_ms":10000}"#;
    server.put("/v1/namespaces/used", used).ok();
    let holder = json!({ "request": request(1), "owner": "o" }).to_string();
    server.post("/v1/workers/used/acquire", &holder).ok();
    let before = server.get("/v1/namespaces").ok();
    let store = ready["store"].as_str().unwrap();
    let cases = CASES.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let wrong: Vec<_> = cases.clone().filter_map(|line| wrong(&server, store, line)).collect();
    let count = cases.count();
    assert!(count > 150, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    // None of it moved the tag or created anything; the one lease that claimed a larger number stopped the
    // tag until an operator moves it.
    let stopped = json!([{ "tag": "orders", "max_id": "1", "claimed_until": "999" }]);
    until(|| server.get("/readyz").ok()["went_back"] == stopped);
    server.post("/v1/tags/orders/advance", r#"{"to":"1"}"#).ok();
    let grant = server.lease(1, &json!({})).ok();
    assert_eq!((&grant["start"], &grant["end"]), (&json!("1"), &json!("11")));
    assert_eq!(server.get("/v1/tags").ok()["tags"].as_array().unwrap().len(), 1);
    assert_eq!(server.get("/v1/namespaces").ok(), before);
    assert_eq!(server.get("/v1/workers/default").ok()["workers"], json!([]));
}

/// Sends the request of a line, and gives the answer if it is not the expected one.
fn wrong(server: &Server, store: &str, line: &str) -> Option<String> {
    let columns: Vec<&str> = line.split(" | ").collect();
    let [asked, body, refused, says, headers @ ..] = &columns[..] else { panic!("{line}") };
    let ((method, path), (status, code)) =
        asked.split_once(' ').zip(refused.split_once(' ')).expect(line);
    let headers = match headers {
        [] => vec![JSON],
        ["-"] => Vec::new(),
        [some, ..] => some.split(", ").map(header).collect(),
    };
    let body = body.replace('@', "\"request\":%").replace('%', &format!("\"{REQUEST}\""));
    let body = body.replace('$', store).replace("\\0", "\0").replace("LONG", &"x".repeat(129));
    let answer = server.send(method, path, &headers, &body);
    let detail = answer.json["detail"].as_str().unwrap_or("");
    let right = (answer.status.to_string().as_str(), answer.code()) == (status, code)
        && says.split(" & ").all(|words| detail.contains(words))
        && answer.headers.contains("content-type: application/problem+json")
        && answer.headers.contains("cache-control: no-store")
        && !answer.headers.contains("access-control")
        && answer.json["status"] == answer.status
        && is_plain(detail);
    (!right).then(|| format!("{line}: {answer:?}"))
}

fn header(text: &str) -> (&str, &str) {
    if text == "JSON" { JSON } else { text.split_once(": ").expect(text) }
}

/// Whether a message uses plain words.
fn is_plain(detail: &str) -> bool {
    let odd = [" is none", " is no ", "anew", "mend", "means nothing", "cannot be `", "not right"];
    !detail.is_empty()
        && !detail.ends_with('.')
        && !detail.starts_with(char::is_uppercase)
        && odd.iter().all(|odd| !detail.contains(odd))
}

#[test]
fn a_body_is_at_most_16_kib() {
    let server = Server::fresh();
    let padded = |bytes: usize| format!("{{{}\"step\":1}}", " ".repeat(bytes - 10));
    assert_eq!(server.put("/v1/tags/a", &padded(16 * 1024)).status, 200);
    server.put("/v1/tags/b", &padded(16 * 1024 + 1)).refused(413, "REQUEST_INVALID");
    // Without a declared length the size is noticed while reading.
    let chunk = format!("5000\r\n{}\r\n0\r\n\r\n", " ".repeat(0x5000));
    let headers = [JSON, ("transfer-encoding", "chunked")];
    server.send("PUT", "/v1/tags/c", &headers, &chunk).refused(413, "REQUEST_INVALID");
}

/// A request as load balancers' health checks send by default.
#[test]
fn a_health_check_by_an_older_http_alone_names_no_host() {
    let server = Server::fresh();
    let answer = server.raw("GET /v1/tags HTTP/1.1\r\nconnection: close\r\n\r\n");
    assert!(answer.refused(400, "REQUEST_INVALID").contains("`Host`"), "{answer:?}");
    let answer = server.raw("GET /readyz HTTP/1.0\r\n\r\n");
    assert_eq!(answer.status, 200, "{answer:?}");
    // A `Host` that is sent is checked, and a request that changes anything needs one.
    for request in [
        "GET http://evil.example/readyz HTTP/1.0\r\n\r\n",
        "GET /readyz HTTP/1.0\r\nhost: evil.example\r\n\r\n",
    ] {
        server.raw(request).refused(403, "FORBIDDEN");
    }
    let put =
        message("PUT /v1/tags/t", &[JSON], "{}").replace("HTTP/1.1\r\nhost: localhost", "HTTP/1.0");
    server.raw(&put).refused(400, "REQUEST_INVALID");
}

#[test]
fn the_same_site_and_loopback_names_may() {
    let server = Server::fresh();
    let origin = format!("http://{}", server.address);
    let host = server.address.to_string();
    let headers = [JSON, ("host", &host), ("origin", &origin), ("sec-fetch-site", "same-origin")];
    assert_eq!(server.send("PUT", "/v1/tags/a", &headers, "{}").status, 200);
    let localhost = [("host", "localhost:1"), ("content-type", "application/json; charset=utf-8")];
    assert_eq!(server.send("PUT", "/v1/tags/b", &localhost, "{}").status, 200);
    let quoted = [("content-type", "Application/JSON ; Charset=\"UTF-8\"")];
    assert_eq!(server.send("PUT", "/v1/tags/b", &quoted, "{}").status, 200);
    // A body may repeat the tag of its path.
    let body = format!("{{\"tag\":\"a\",\"request\":\"{}\"}}", request(1));
    assert_eq!(server.post("/v1/segments/a/lease", &body).status, 200);
}

//! Attacks and the server's answers: the table of docs/SECURITY.md, row by row. Slow and large
//! requests are in `http/limits.rs` and `http/unread.rs`.

use crate::secured::Secured;
use crate::support::{Answer, JSON, Serving, send_raw, set_mode};

fn send(serving: &Serving, line: &str, headers: &str, body: &str) -> Answer {
    send_raw(&serving.url, line, headers, body)
}

fn bearer(token: &str) -> String {
    format!("{JSON}authorization: Bearer {token}\r\n")
}

const DRAW: &str = "POST /v1/segments/orders/ids";
const ONE: &str = r#"{"count":1}"#;

#[test]
fn tokens_that_are_none() {
    let secured = Secured::new();
    let good = secured.token(&["app"]);
    let mut serving = secured.serve(&[]);
    assert_eq!(send(&serving, DRAW, &bearer(&good), ONE).status, 200, "the control");
    let hash = std::fs::read_to_string(secured.at("tokens.toml")).unwrap();
    let hash = hash.split("sha256 = \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let query = |line: &str| format!("{line}?token={good}&access_token={good}");
    let basic = format!("{JSON}authorization: Basic {good}\r\n");
    let cookie = format!("{JSON}cookie: token={good}\r\n");
    let twice = format!("{}authorization: Bearer {good}\r\n", bearer("x"));
    for (attack, line, headers) in [
        ("no token", DRAW.to_owned(), JSON.to_owned()),
        ("a wrong token", DRAW.to_owned(), bearer("leafid_wrong")),
        ("an empty token", DRAW.to_owned(), bearer("")),
        ("a part of a token", DRAW.to_owned(), bearer(&good[..49])),
        ("a longer one", DRAW.to_owned(), bearer(&format!("{good}x"))),
        ("other letters", DRAW.to_owned(), bearer(&good.to_uppercase())),
        ("the hash in the file", DRAW.to_owned(), bearer(&hash)),
        ("the token in the query", query(DRAW), JSON.to_owned()),
        ("another scheme", DRAW.to_owned(), basic),
        ("a cookie", DRAW.to_owned(), cookie),
        ("two headers", DRAW.to_owned(), twice),
        ("a list without one", "GET /v1/tags".to_owned(), String::new()),
        ("a change without one", "DELETE /v1/tags/orders".to_owned(), String::new()),
    ] {
        let answer = send(&serving, &line, &headers, ONE);
        answer.refused(401, "UNAUTHORIZED");
        let way = answer.header("www-authenticate").unwrap_or_default();
        assert!(way.starts_with("Bearer"), "{attack}: {answer:?}");
    }
    // A token of another server, which has another token file.
    let other = Secured::new();
    let foreign = other.token(&["app"]);
    assert_eq!(
        send(&serving, DRAW, &bearer(&foreign), ONE).status,
        401,
        "a token of another server"
    );
    serving.logs(&["WARN", "refused: ", "UNAUTHORIZED", "caller=api/127.0.0.1:"]);
    serving.end("-TERM");
    let log = serving.log();
    for secret in [&good, &foreign, "leafid_wrong"] {
        assert!(!log.contains(secret), "{log}");
    }
}

/// Revoked tokens: `tokens.rs`.
#[test]
fn a_token_that_has_expired() {
    let secured = Secured::new();
    let expired = secured.token(&["old", "--days", "1"]);
    let text = std::fs::read_to_string(secured.at("tokens.toml")).unwrap();
    let at = text.find("expires = \"").unwrap() + 11;
    secured.write("tokens.toml", &format!("{}2020{}", &text[..at], &text[at + 4..]));
    set_mode(secured.at("tokens.toml"), 0o600);
    let used = secured.token(&["app"]);
    let serving = secured.serve(&[]);
    assert_eq!(send(&serving, DRAW, &bearer(&expired), ONE).status, 401);
    assert_eq!(send(&serving, DRAW, &bearer(&used), ONE).status, 200, "the control");
}

/// Servers without tokens: `http/cases.rs`. With tokens any `Host` is allowed, as a page has no token; a
/// request from a foreign page is refused all the same.
#[test]
fn pages_of_a_browser() {
    let secured = Secured::new();
    let token = secured.token(&["app"]);
    let guarded = secured.serve(&[]);
    let named = |more: &str| format!("{}{more}", bearer(&token));
    assert_eq!(send(&guarded, DRAW, &named("host: ids.example\r\n"), ONE).status, 200);
    assert_eq!(send(&guarded, DRAW, &format!("{JSON}host: ids.example\r\n"), ONE).status, 401);
    assert_eq!(send(&guarded, DRAW, &named("origin: https://evil.example\r\n"), ONE).status, 403);
}

#[test]
fn names_that_are_none() {
    let secured = Secured::new();
    let token = secured.token(&["shop", "--tag", "shop:*", "--verb", "lease", "--verb", "read"]);
    let serving = secured.serve(&[]);
    for path in [
        "/v1/segments/shop:1%2F..%2Forders/ids",
        "/v1/segments/shop:1/../orders/ids",
        "/v1/segments/orders%00shop:/ids",
        "/v1/segments/%6frders/ids",
        "//v1/segments/orders/ids",
        "/v1/segments/orders/ids/",
        "/v1/segments/SHOP:1/ids",
        "/v1/segments/shop/ids",
    ] {
        let answer = send(&serving, &format!("POST {path}"), &bearer(&token), ONE);
        let is_refused = (400..=404).contains(&answer.status) && !answer.code().is_empty();
        assert!(is_refused, "{path}: {answer:?}");
    }
    let body = r#"{"request":"0123456789abcdef0123456789abcdef","tag":"orders"}"#;
    let answer = send(&serving, "POST /v1/segments/shop:1/lease", &bearer(&token), body);
    // The body names another tag.
    answer.refused(400, "REQUEST_INVALID");
    assert_eq!(send(&serving, "POST /v1/segments/shop:1/ids", &bearer(&token), ONE).status, 200);
}

//! Bad input: a clear problem with its code, and nothing lost.

use crate::support::{Server, request};
use leafid_core::Code;

const JSON: (&str, &str) = ("content-type", "application/json");

struct Case {
    send: (&'static str, &'static str),
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    gives: (u16, Code),
    says: &'static str,
}

const fn case(
    send: (&'static str, &'static str),
    body: &'static str,
    gives: (u16, Code),
    says: &'static str,
) -> Case {
    Case { send, headers: &[JSON], body, gives, says }
}

const R: &str = r#"{"request":"000102030405060708090a0b0c0d0e0f"}"#;
const LEASE: (&str, &str) = ("POST", "/v1/segments/orders/lease");
const ACQUIRE: (&str, &str) = ("POST", "/v1/workers/default/acquire");
const RENEW: (&str, &str) = ("POST", "/v1/workers/default/renew");
const TAG: (&str, &str) = ("PUT", "/v1/tags/other");
const SPACE: (&str, &str) = ("PUT", "/v1/namespaces/other");
const INVALID: Code = Code::RequestInvalid;

const CASES: &[Case] = &[
    case(
        ("POST", "/v1/segments/ordres/lease"),
        R,
        (404, Code::TagUnknown),
        "leafid tag create ordres",
    ),
    case(
        ("POST", "/v1/segments/ordres/ids"),
        r#"{"count":1}"#,
        (404, Code::TagUnknown),
        "leafid tag create ordres",
    ),
    case(("POST", "/v1/segments/or%20ders/lease"), R, (400, Code::TagInvalid), "or ders"),
    case(("POST", "/v1/segments/a%2Fb/lease"), R, (400, Code::TagInvalid), "a/b"),
    case(("POST", "/v1/segments/%C3%A4/lease"), R, (400, Code::TagInvalid), "ä"),
    case(("POST", "/v1/segments/%FF/lease"), R, (400, INVALID), "path"),
    case(("PUT", "/v1/tags/%27%3B--"), "{}", (400, Code::TagInvalid), "';--"),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","step":0}"#,
        (400, Code::StepInvalid),
        "step 0",
    ),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","step":4294967295}"#,
        (400, Code::StepInvalid),
        "4294967295",
    ),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","step":4294967296}"#,
        (400, INVALID),
        "step",
    ),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","have_untill":"7"}"#,
        (400, INVALID),
        "have_untill",
    ),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","have_until":7}"#,
        (400, INVALID),
        "have_until",
    ),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","have_until":"07"}"#,
        (400, INVALID),
        "have_until",
    ),
    case(LEASE, r#"{"request":"000102030405060708090A0B0C0D0E0F"}"#, (400, INVALID), "request"),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","have_until":"999"}"#,
        (409, Code::StoreWentBack),
        "999",
    ),
    case(
        LEASE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","store":"000102030405060708090a0b0c0d0e0f"}"#,
        (409, Code::StoreChanged),
        "000102030405060708090a0b0c0d0e0f",
    ),
    case(LEASE, "{}", (400, INVALID), "request"),
    case(LEASE, "", (400, INVALID), "`{}`"),
    case(TAG, "", (400, INVALID), "`{}`"),
    case(SPACE, "", (400, INVALID), "`{}`"),
    case(("POST", "/v1/workers/default/0/release"), "", (400, INVALID), "`{}`"),
    case(LEASE, "[1]", (400, INVALID), "object"),
    case(LEASE, "{\"request\":", (400, INVALID), "not JSON"),
    case(LEASE, "\u{0}", (400, INVALID), "not JSON"),
    case(("POST", "/v1/segments/orders/ids"), r#"{"count":0}"#, (400, Code::CountInvalid), "0 IDs"),
    case(
        ("POST", "/v1/segments/orders/ids"),
        r#"{"count":10001}"#,
        (400, Code::CountInvalid),
        "10001",
    ),
    case(("POST", "/v1/segments/orders/ids"), r#"{"count":"1"}"#, (400, INVALID), "count"),
    case(("POST", "/v1/snowflake/default/ids"), r#"{"count":-1}"#, (400, INVALID), "count"),
    case(
        ("POST", "/v1/snowflake/nowhere/ids"),
        r#"{"count":1}"#,
        (404, Code::NamespaceUnknown),
        "leafid namespace create nowhere",
    ),
    case(TAG, r#"{"step":0}"#, (400, Code::StepInvalid), "step 0"),
    case(TAG, r#"{"step":10,"max_step":5}"#, (400, Code::StepInvalid), "step 10 of at most 5"),
    case(TAG, r#"{"from":"0"}"#, (400, Code::RangeInvalid), "begin at 0"),
    case(
        TAG,
        r#"{"from":"9223372036854775808"}"#,
        (400, Code::RangeInvalid),
        "9223372036854775808",
    ),
    case(("PUT", "/v1/tags/orders"), r#"{"from":"5"}"#, (409, Code::TagExists), "orders"),
    case(("GET", "/v1/tags/other"), "", (404, Code::TagUnknown), "leafid tag create other"),
    case(("DELETE", "/v1/tags/other"), "", (404, Code::TagUnknown), "other"),
    case(("GET", "/v1/tags?limit=0"), "", (400, INVALID), "limit"),
    case(("GET", "/v1/tags?limit=1001"), "", (400, INVALID), "1001"),
    case(("GET", "/v1/tags?limit=%2B5"), "", (400, INVALID), "+5"),
    case(("GET", "/v1/tags?limit="), "", (400, INVALID), "limit"),
    case(("GET", "/v1/tags?after=or%20ders"), "", (400, Code::TagInvalid), "or ders"),
    case(("GET", "/v1/workers/default?after=%2B5"), "", (400, INVALID), "+5"),
    case(("GET", "/v1/workers/default?after=05"), "", (400, INVALID), "05"),
    case(("GET", "/v1/tags?offset=5"), "", (400, INVALID), "offset"),
    case(
        SPACE,
        r#"{"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"worker_bits":11,"sequence_bits":12}}"#,
        (400, Code::LayoutInvalid),
        "63 bits",
    ),
    case(
        SPACE,
        r#"{"layout":{"epoch_ms":0,"tick_ms":0,"time_bits":41,"worker_bits":10,"sequence_bits":12}}"#,
        (400, Code::LayoutInvalid),
        "layout",
    ),
    case(SPACE, r#"{"layout":"oak"}"#, (400, Code::LayoutInvalid), "oak"),
    case(
        SPACE,
        r#"{"layout":"leaf","workers":{"start":0,"end":1025}}"#,
        (400, Code::WorkerInvalid),
        "1025",
    ),
    case(
        SPACE,
        r#"{"layout":"leaf","workers":{"start":5,"end":5}}"#,
        (400, Code::WorkerInvalid),
        "5",
    ),
    case(SPACE, r#"{"layout":"leaf","max_window_ms":10}"#, (400, Code::RangeInvalid), "10 ms"),
    case(SPACE, r#"{"layout":"leaf","max_windows_ms":10000}"#, (400, INVALID), "max_windows_ms"),
    case(ACQUIRE, r#"{"request":"000102030405060708090a0b0c0d0e0f"}"#, (400, INVALID), "owner"),
    case(
        ACQUIRE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","owner":""}"#,
        (400, INVALID),
        "owner",
    ),
    case(
        ACQUIRE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","owner":"a","layout":"edge"}"#,
        (409, Code::LayoutMismatch),
        "41/10/12",
    ),
    case(
        ACQUIRE,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","owner":"a","strict":true}"#,
        (400, INVALID),
        "sticky",
    ),
    case(
        RENEW,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","store":"$","worker":1024,"key":"000102030405060708090a0b0c0d0e0f","have_until":"1"}"#,
        (400, Code::WorkerInvalid),
        "1024",
    ),
    case(
        RENEW,
        r#"{"request":"000102030405060708090a0b0c0d0e0f","store":"$","worker":3,"key":"000102030405060708090a0b0c0d0e0f","have_until":"1"}"#,
        (409, Code::LeaseLost),
        "worker 3",
    ),
    case(("POST", "/v1/workers/default/9999/release"), "{}", (400, Code::WorkerInvalid), "9999"),
    case(("POST", "/v1/workers/default/x/release"), "{}", (400, Code::WorkerInvalid), "x"),
    case(("POST", "/v1/workers/default/%2B1/release"), "{}", (400, Code::WorkerInvalid), "+1"),
    case(("POST", "/v1/workers/default/01/release"), "{}", (400, Code::WorkerInvalid), "01"),
    case(("GET", "/v1/workers/nowhere"), "", (404, Code::NamespaceUnknown), "nowhere"),
    case(("GET", "/v1/decode/nonsense"), "", (400, Code::IdInvalid), "nonsense"),
    case(("GET", "/v1/decode/-1"), "", (400, Code::IdInvalid), "-1"),
    case(
        ("GET", "/v1/decode/9223372036854775808"),
        "",
        (400, Code::IdInvalid),
        "9223372036854775807",
    ),
    case(("GET", "/v1/decode/1?namespace=nowhere"), "", (404, Code::NamespaceUnknown), "nowhere"),
    case(("GET", "/v1/nothing"), "", (404, INVALID), "/v1/nothing"),
    case(("DELETE", "/v1/namespaces/default"), "", (405, INVALID), "DELETE"),
    case(("GET", "/v1/segments/orders/lease"), "", (405, INVALID), "GET"),
    // What is not there is said before what a body needs.
    Case { send: ("PUT", "/healthz"), headers: &[], body: "", gives: (405, INVALID), says: "PUT" },
    Case {
        send: ("POST", "/v1/nothing"),
        headers: &[],
        body: "x",
        gives: (404, INVALID),
        says: "/v1/nothing",
    },
    Case {
        send: LEASE,
        headers: &[("content-type", "text/plain")],
        body: R,
        gives: (415, INVALID),
        says: "text/plain",
    },
    Case { send: LEASE, headers: &[], body: R, gives: (415, INVALID), says: "application/json" },
    Case {
        send: LEASE,
        headers: &[JSON, ("origin", "https://evil.example")],
        body: R,
        gives: (403, Code::Forbidden),
        says: "evil.example",
    },
    Case {
        send: LEASE,
        headers: &[JSON, ("origin", "null")],
        body: R,
        gives: (403, Code::Forbidden),
        says: "null",
    },
    Case {
        send: LEASE,
        headers: &[JSON, ("sec-fetch-site", "cross-site")],
        body: R,
        gives: (403, Code::Forbidden),
        says: "cross-site",
    },
    Case {
        send: LEASE,
        headers: &[JSON, ("host", "evil.example")],
        body: R,
        gives: (403, Code::Forbidden),
        says: "evil.example",
    },
    Case {
        send: ("GET", "/v1/tags"),
        headers: &[("host", "192.0.2.1:8750")],
        body: "",
        gives: (403, Code::Forbidden),
        says: "192.0.2.1",
    },
    // What is said twice is not guessed at, at any depth and however the name is spelt.
    case(
        ("POST", "/v1/segments/orders/ids"),
        r#"{"count":1,"count":2}"#,
        (400, INVALID),
        "`count` is given twice",
    ),
    case(
        ("POST", "/v1/segments/orders/ids"),
        r#"{"count":1,"c\u006funt":1}"#,
        (400, INVALID),
        "`count` is given twice",
    ),
    case(
        SPACE,
        r#"{"layout":"leaf","workers":{"start":0,"end":4,"start":2}}"#,
        (400, INVALID),
        "`start` is given twice",
    ),
    case(
        SPACE,
        r#"{"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"tick_ms":9,"worker_bits":10,"sequence_bits":12}}"#,
        (400, INVALID),
        "`tick_ms` is given twice",
    ),
    case(("GET", "/v1/tags?limit=1&limit=2"), "", (400, INVALID), "`limit` is given twice"),
    Case {
        send: LEASE,
        headers: &[JSON, ("host", "localhost"), ("host", "localhost")],
        body: R,
        gives: (400, INVALID),
        says: "`Host`",
    },
    Case {
        send: ("GET", "/v1/tags"),
        headers: &[("host", "localhost"), ("host", "evil.example")],
        body: "",
        gives: (400, INVALID),
        says: "`Host`",
    },
    Case {
        send: TAG,
        headers: &[JSON, ("if-none-match", "*"), ("if-none-match", "*")],
        body: "{}",
        gives: (400, INVALID),
        says: "If-None-Match",
    },
    Case {
        send: LEASE,
        headers: &[("content-type", "application/json; charset=utf-16")],
        body: R,
        gives: (415, INVALID),
        says: "charset=utf-16",
    },
    Case {
        send: LEASE,
        headers: &[("content-type", "application/json; Charset=\"ISO-8859-1\"")],
        body: R,
        gives: (415, INVALID),
        says: "ISO-8859-1",
    },
    Case {
        send: LEASE,
        headers: &[JSON, ("content-type", "text/plain")],
        body: R,
        gives: (415, INVALID),
        says: "content type",
    },
    Case {
        send: TAG,
        headers: &[JSON, ("if-none-match", "\"x\"")],
        body: "{}",
        gives: (400, INVALID),
        says: "If-None-Match",
    },
];

#[test]
fn each_has_its_code_and_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let ready = server.get("/readyz").ok();
    let store = ready["store"].as_str().unwrap();
    server.put("/v1/tags/orders", r#"{"step":10}"#).ok();
    let mut wrong = Vec::new();
    for case in CASES {
        let (method, path) = case.send;
        let body = case.body.replace('$', store);
        let answer = server.send(method, path, case.headers, &body);
        let right = (answer.status, answer.code()) == (case.gives.0, case.gives.1.as_str())
            && answer.json["detail"].as_str().is_some_and(|detail| detail.contains(case.says))
            && answer.headers.contains("content-type: application/problem+json")
            && answer.headers.contains("cache-control: no-store")
            && answer.json["status"] == case.gives.0;
        if !right {
            let (status, code) = (case.gives.0, case.gives.1);
            let says = case.says;
            wrong.push(format!(
                "{method} {path} {body}: wanted {status} {code} `{says}`: {answer:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
    // None of it moved the line or made anything.
    let grant = server.post("/v1/segments/orders/lease", R).ok();
    assert_eq!((grant["start"].as_str(), grant["end"].as_str()), (Some("1"), Some("11")));
    assert_eq!(server.get("/v1/tags").ok()["tags"].as_array().unwrap().len(), 1);
    assert_eq!(server.get("/v1/namespaces").ok()["namespaces"].as_array().unwrap().len(), 1);
    assert_eq!(server.get("/v1/workers/default").ok()["workers"].as_array().unwrap().len(), 0);
}

#[test]
fn a_body_is_at_most_16_kib() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let padded = |bytes: usize| format!("{{{}\"step\":1}}", " ".repeat(bytes - 10));
    assert_eq!(server.put("/v1/tags/a", &padded(16 * 1024)).status, 200);
    let answer = server.put("/v1/tags/b", &padded(16 * 1024 + 1));
    assert_eq!((answer.status, answer.code()), (413, "REQUEST_INVALID"), "{answer:?}");
    // Without a declared length it is found out on the way.
    let chunk = format!("5000\r\n{}\r\n0\r\n\r\n", " ".repeat(0x5000));
    let headers = [JSON, ("transfer-encoding", "chunked")];
    let answer = server.send("PUT", "/v1/tags/c", &headers, &chunk);
    assert_eq!((answer.status, answer.code()), (413, "REQUEST_INVALID"), "{answer:?}");
}

#[test]
fn a_request_without_a_host_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let answer = server.raw("GET /v1/tags HTTP/1.1\r\nconnection: close\r\n\r\n");
    assert_eq!((answer.status, answer.code()), (400, "REQUEST_INVALID"), "{answer:?}");
    assert!(answer.json["detail"].as_str().unwrap().contains("`Host`"), "{answer:?}");
}

#[test]
fn the_same_site_and_loopback_names_may() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("store.db"));
    let origin = format!("http://{}", server.address);
    let headers = [JSON, ("origin", origin.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(server.send("PUT", "/v1/tags/a", &headers, "{}").status, 200);
    let localhost = [("host", "localhost:1"), ("content-type", "application/json; charset=utf-8")];
    assert_eq!(server.send("PUT", "/v1/tags/b", &localhost, "{}").status, 200);
    let quoted = [("content-type", "Application/JSON ; Charset=\"UTF-8\"")];
    assert_eq!(server.send("PUT", "/v1/tags/b", &quoted, "{}").status, 200);
    // A body may repeat what its path says.
    let body = format!("{{\"tag\":\"a\",\"request\":\"{}\"}}", request(1));
    assert_eq!(server.post("/v1/segments/a/lease", &body).status, 200);
}

//! How a holder reads answers.

use leafid_core::{
    AcquireAsk, Ask, Code, Grant, Layout, Name, Range, SegmentAsk, SegmentGrant, StoreTime, Token,
    WindowGrant,
};
use leafid_wire::{Answer, Call, Fields, Problem, Reader, Writer, advice};

const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";

fn segment() -> Ask {
    let (tag, request) = (Name::tag("orders").unwrap(), Token::new([1; 16]));
    let (store, have_until) = (Some(Token::new([2; 16])), Some(1_001));
    let (at_least, ask) = (Some(3), SegmentAsk::new(tag, request));
    Ask::Segment(SegmentAsk { store, at_least, have_until, ..ask })
}

fn acquire() -> Ask {
    let (space, owner) = (Name::namespace("edge"), Name::owner("höst \"7\"/4711"));
    Ask::Acquire(AcquireAsk {
        layout: Some(Layout::EDGE),
        length_ms: Some(10_000),
        sticky: true,
        ..AcquireAsk::new(space.unwrap(), Token::new([1; 16]), owner.unwrap())
    })
}

fn numbers() -> SegmentGrant {
    SegmentGrant {
        request: Token::new([1; 16]),
        store: Token::new([2; 16]),
        tag: Name::tag("orders").unwrap(),
        range: Range::new(1, i64::MAX as u64),
        step: 1_000,
        max_step: 1_000_000,
        remaining: 7,
        now: StoreTime::new(1_800_000_000_000),
    }
}

fn answer<'a>(status: u16, content_type: &'a str, body: &'a str) -> Answer<'a> {
    let (url, body) = ("http://h:1/v1", body.as_bytes());
    Answer { url, status, content_type, retry_after: None, body }
}

fn refused(answer: Answer<'_>) -> Problem {
    answer.grant(&segment()).unwrap_err()
}

#[test]
fn a_grant_reads_back_whatever_a_newer_store_adds() {
    let body = Writer::object(&numbers());
    for kind in [JSON, "Application/JSON; charset=utf-8", PROBLEM] {
        assert_eq!(answer(200, kind, &body).grant(&segment()), Ok(Grant::Segment(numbers())));
    }
    let more = body.replace("{\"request\"", "{\"fence\":{\"x\":[1]},\"request\"");
    assert_eq!(answer(200, JSON, &more).grant(&segment()), Ok(Grant::Segment(numbers())));
    let window = WindowGrant {
        request: Token::new([1; 16]),
        store: Token::new([2; 16]),
        worker: 7,
        ticks: Range::new(5, 9),
        layout: Layout::EDGE,
        now: StoreTime::new(-1),
        max_window_ms: 60_000,
    };
    let body = Writer::object(&window);
    assert_eq!(answer(200, JSON, &body).grant(&acquire()), Ok(Grant::Window(window)));
}

#[test]
fn a_success_that_is_no_grant_says_what_is_wrong_with_it() {
    let body = Writer::object(&numbers());
    let twice = body.replace("\"end\":", "\"end\":\"5\",\"end\":");
    let number = body.replace("\"start\":\"1\"", "\"start\":1");
    for (kind, body, word) in [
        (JSON, "{}", "field `request` is missing"),
        (JSON, number.as_str(), "field `start` must be a string of decimal digits"),
        (JSON, twice.as_str(), "instead of a store's JSON"),
        (JSON, "[]", "instead of a store's JSON"),
        (JSON, "", "instead of a store's JSON"),
        ("text/html", body.as_str(), "`text/html` instead of a store's JSON"),
        ("", body.as_str(), "`nothing` instead of a store's JSON"),
        // The code in the body of a success is ignored.
        (JSON, r#"{"code":"TAG_UNKNOWN"}"#, "field `request` is missing"),
    ] {
        let problem = refused(answer(200, kind, body));
        assert_eq!(problem.code, Code::GrantInvalid, "{body}");
        assert!(problem.detail.contains(word), "{}", problem.detail);
        assert!(problem.detail.contains("http://h:1/v1"), "{}", problem.detail);
    }
    assert_eq!(refused(answer(204, JSON, &body)).code, Code::GrantInvalid);
}

#[test]
fn a_stores_problem_keeps_its_words() {
    let body = r#"{"type":"about:blank","title":"wait","status":503,"code":"WORKERS_EXHAUSTED",
        "detail":"all held","retry_after_ms":9000,"free_at_ms":1234,"worker":7}"#;
    let expected = Problem {
        retry_after_ms: Some(9_000),
        free_at_ms: Some(1_234),
        ..Problem::new(Code::WorkersExhausted, "all held")
    };
    assert_eq!(refused(answer(503, PROBLEM, body)), expected);
    let said = |body: &str| refused(answer(503, PROBLEM, body)).detail;
    assert_eq!(said(r#"{"code":"OVERLOADED","title":"later"}"#), "later");
    assert_eq!(said(r#"{"code":"OVERLOADED"}"#), advice(Code::Overloaded));
}

#[test]
fn a_status_without_a_code_that_a_store_gives_has_one_of_ours() {
    for (status, code) in [
        (302, Code::GrantInvalid),
        (401, Code::Unauthorized),
        (403, Code::Forbidden),
        (404, Code::GrantInvalid),
        (429, Code::QuotaExceeded),
        (502, Code::StoreUnavailable),
    ] {
        for (kind, body) in [
            ("text/html", r#"{"code":"TAG_UNKNOWN"}"#),
            (PROBLEM, r#"{"code":"CLOSED"}"#),
            (PROBLEM, r#"{"code":"WHATEVER"}"#),
            (PROBLEM, r#"{"code":404}"#),
            (PROBLEM, r#"{"code":"TAG_UNKNOWN","code":"TAG_SPENT"}"#),
            (PROBLEM, "{}"),
            ("", ""),
        ] {
            let problem = refused(answer(status, kind, body));
            assert_eq!(problem.code, code, "{status} {body}");
            assert!(problem.detail.contains(&format!("answered {status}")), "{}", problem.detail);
        }
    }
}

#[test]
fn the_pause_is_the_bodys_or_else_the_headers() {
    let pause = |body: &str, header: Option<&str>| {
        refused(Answer { retry_after: header, ..answer(503, PROBLEM, body) }).retry_after_ms
    };
    let body = |ms: &str| format!("{{\"code\":\"OVERLOADED\",\"retry_after_ms\":{ms}}}");
    assert_eq!(pause(&body("250"), Some("9")), Some(250));
    // Another way to write a whole number.
    assert_eq!(pause(&body("250.0"), Some("9")), Some(250));
    // A pause beyond 32 bits is not "at once".
    assert_eq!(pause(&body("99999999999"), None), Some(u32::MAX));
    for wrong in ["-5", "\"250\"", "2.5", "null"] {
        assert_eq!(pause(&body(wrong), Some(" 9 ")), Some(9_000), "{wrong}");
    }
    assert_eq!(pause("{}", Some("4294967295")), Some(u32::MAX));
    assert_eq!(pause("{}", Some("Wed, 21 Oct 2015 07:28:00 GMT")), None);
    assert_eq!(pause("{\"retry_after_ms\":70}", None), Some(70));
}

#[test]
fn a_call_reads_as_a_request() {
    for (ask, path, field, name) in [
        (segment(), "/v1/segments/orders/lease", "tag", "orders"),
        (acquire(), "/v1/workers/edge/acquire", "namespace", "edge"),
    ] {
        let call = Call::ask(&ask);
        assert_eq!(call.path, path);
        assert!(!call.body.contains(field), "{}", call.body);
        let mut from = Reader::parse(call.body.as_bytes()).unwrap();
        from.put_path(field, name).unwrap();
        let read = match ask {
            Ask::Segment(_) => from.all(SegmentAsk::get).map(Ask::Segment),
            _ => from.all(AcquireAsk::get).map(Ask::Acquire),
        };
        assert_eq!(read, Ok(ask));
    }
}

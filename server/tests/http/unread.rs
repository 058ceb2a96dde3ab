//! Requests that never reach the API, as their head is too large or is not HTTP.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::support::{Answer, JSON, Server, message, request};

/// Checks only the status: hyper refuses what it cannot read without a body.
fn refused(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(answer.closes(), "{answer:?}");
}

#[test]
fn a_head_that_cannot_be_read_is_refused() {
    let server = Server::fresh();
    let get = |path: &str, more: &str| {
        format!("GET /{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{more}\r\n")
    };
    let long = |bytes: usize| get(&"a".repeat(bytes), "");
    let headers = |count: usize| {
        let lines: Vec<_> = (0..count).map(|n| format!("x-{n}: 1\r\n")).collect();
        get("v1/tags", &lines.concat())
    };
    // The longest path that is read.
    assert_eq!(server.raw(&long(65_533)).status, 404);
    refused(&server.raw(&long(65_534)), 414);
    // A hundred headers with `Host` and `Connection`.
    assert_eq!(server.raw(&headers(98)).status, 200);
    refused(&server.raw(&headers(99)), 431);
    refused(&server.raw(&get("", &format!("x: {}\r\n", "a".repeat(1 << 20)))), 431);
    let ids = "POST /v1/segments/a/ids";
    let endless = [("content-length", "18446744073709551615")];
    refused(&server.raw(&message(ids, &endless, "")), 431);
    for nonsense in [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3} hello\r\n\r\n",
        "hello\r\n\r\n",
        "GET /v1/tags HTTP/9.9\r\nhost: localhost\r\n\r\n",
        "GET /v1/tags HTTP/1.1\r\nhost localhost\r\n\r\n",
        "GET /v1/tags HTTP/1.1\r\nhost: localhost\r\na b: 1\r\n\r\n",
        "GET /a b c HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "POST /v1/segments/a/ids HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n\
         content-length: 2\r\n\r\n{}",
        "POST /v1/segments/a/ids HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n{}",
        "POST /v1/segments/a/ids HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip\r\n\r\n{}",
    ] {
        refused(&server.raw(nonsense), 400);
    }
}

#[test]
fn it_comes_after_the_answers_to_what_could_be_read() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", "{}").ok();
    let body = format!("{{\"request\":\"{}\"}}", request(1));
    let lease = message("POST /v1/segments/orders/lease", &[JSON], &body);
    let mut stream = server.connect();
    stream.write_all(format!("{lease}hello\r\n\r\n").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let mut answers = text.as_bytes();
    let first = Answer::read(&mut answers).unwrap().ok();
    assert_eq!((first["start"].as_str(), first["end"].as_str()), (Some("1"), Some("1001")));
    refused(&Answer::read(&mut answers).unwrap(), 400);
}

/// No answer where there is no whole request yet, or it is not HTTP/1.
#[test]
fn half_a_head_and_broken_http2_are_closed_without_an_answer() {
    let server = Server::fresh();
    let whole = "GET /v1/tags HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    for (sent, status) in [
        ("GET /v1/tags HTTP/1.1\r\nhost: local", None),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense that is no frame", None),
        (whole, Some("HTTP/1.1 200")),
    ] {
        let mut stream = server.connect();
        stream.write_all(sent.as_bytes()).unwrap();
        if status.is_none() {
            stream.shutdown(Shutdown::Write).unwrap();
        }
        let mut answer = Vec::new();
        // A reset counts as closed, too.
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        assert_eq!(text.get(..12).filter(|text| text.starts_with("HTTP/")), status, "{text}");
    }
}

//! Refused bodies on persistent connections: a client can always read the answer, and knows whether the
//! connection goes on.

use std::io::{BufReader, Read, Write};
use std::time::{Duration, Instant};

use crate::support::{Answer, Client, JSON, LATE, Server, message, number, request};
use leafid_server::http::deadlines::Limits;

/// The shortest time-out that can be set.
const LEAST: Duration = Duration::from_millis(1);

fn chunked(line: &str, headers: &[(&str, &str)], body: &str) -> String {
    let headers = [headers, &[("transfer-encoding", "chunked")]].concat();
    let chunk = |part: &[u8]| format!("{:x}\r\n{}\r\n", part.len(), part.escape_ascii());
    let chunks: String = body.as_bytes().chunks(4_000).map(chunk).collect();
    message(line, &headers, &format!("{chunks}0\r\n\r\n"))
}

/// Sends a request, again where this machine was too slow: the server reads the rest of a refused
/// body for two seconds only.
fn ask_at_once(client: &mut Client, request: &str) -> std::io::Result<Answer> {
    let begun = Instant::now();
    loop {
        let asked = Instant::now();
        match client.ask(request) {
            Err(_) if asked.elapsed() > LEAST * 1_000 && begun.elapsed() < LATE => {}
            answer => return answer,
        }
    }
}

#[test]
fn a_client_never_meets_a_broken_pipe() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", r#"{"step":1}"#).ok();
    let mut client = Client::of(server.address);
    let (mut broken, mut refused, mut served) = (Vec::new(), 0, 0);
    for turn in 0..200_u64 {
        let bytes = [16 * 1024 + 1, 40_000, 300_000, 2_000_000][turn as usize / 2 % 4];
        let body = " ".repeat(bytes);
        let form = if turn % 2 == 0 { message } else { chunked };
        let large = form("POST /v1/segments/orders/lease", &[JSON], &body);
        match ask_at_once(&mut client, &large) {
            Ok(reply) if reply.status == 413 => refused += 1,
            Ok(reply) => panic!("{bytes} bytes: {}: {}", reply.status, reply.json),
            Err(error) => broken.push(format!("{turn}: {bytes} bytes: {error}")),
        }
        let body = format!("{{\"request\":\"{}\"}}", request(turn));
        let good = message("POST /v1/segments/orders/lease", &[JSON], &body);
        match client.ask(&good) {
            Ok(reply) if reply.status == 200 => {
                served += 1;
                assert_eq!(number(&reply.json["start"]), served, "no refused request leased");
            }
            Ok(reply) => panic!("{}: {}", reply.status, reply.json),
            Err(error) => broken.push(format!("after {turn}: {error}")),
        }
    }
    assert!(broken.is_empty(), "{} broken, as {}", broken.len(), broken[0]);
    assert_eq!((refused, served), (200, 200));
}

/// Whenever the rest comes after the refusal, and whatever it looks like.
#[test]
fn the_rest_of_a_refused_body_is_no_request() {
    let server = Server::limited(Limits::default());
    let mut stream = BufReader::new(server.connect());
    let large = [JSON, ("content-length", "1000000")];
    let large = message("POST /v1/segments/orders/lease", &large, "");
    stream.get_mut().write_all(large.as_bytes()).unwrap();
    let reply = Answer::read(&mut stream).unwrap();
    assert_eq!((reply.status, reply.closes()), (413, true), "{}", reply.json);
    // The server sends no more, but reads on for a while.
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    let hidden = message("PUT /v1/tags/hidden", &[JSON], "{}");
    let begun = Instant::now();
    while stream.get_mut().write_all(hidden.as_bytes()).is_ok() && begun.elapsed() < LATE {
        std::thread::sleep(LEAST * 10);
    }
    let tags = server.get("/v1/tags").ok();
    assert_eq!(tags["tags"].as_array().map(Vec::len), Some(1), "only `orders`: {tags}");
}

#[test]
fn a_refused_request_with_a_small_body_keeps_its_connection() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", "{}").ok();
    let mut client = Client::of(server.address);
    let body = " ".repeat(12_000);
    for (line, headers, status) in [
        ("POST /v1/segments/orders/lease", &[("content-type", "text/plain")][..], 415),
        ("POST /v1/segments/orders/lease", &[JSON, ("origin", "https://evil.example")], 403),
        ("POST /v1/nothing", &[JSON], 404),
        ("PUT /v1/segments/orders/lease", &[JSON], 405),
        ("POST /v1/segments/or%20ders/lease", &[JSON], 400),
        ("GET /v1/tags", &[], 200),
    ] {
        for form in [message, chunked] {
            let reply = client.ask(&form(line, headers, &body)).unwrap();
            assert_eq!((reply.status, reply.closes()), (status, false), "{line}: {}", reply.json);
        }
    }
    assert_eq!(client.connections, 1);
}

#[test]
fn a_malformed_or_cut_body_is_no_large_one() {
    let server = Server::fresh();
    let chunked = [JSON, ("transfer-encoding", "chunked")];
    for body in ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx\r\n0\r\n\r\n", "-1\r\n{}\r\n0\r\n\r\n"] {
        let reply =
            Client::of(server.address).ask(&message("PUT /v1/tags/a", &chunked, body)).unwrap();
        assert_eq!((reply.status, reply.closes()), (400, true), "{body:?}: {}", reply.json);
        assert_eq!(reply.json["code"], "REQUEST_INVALID", "{body:?}");
    }
    // A body that is cut: the client has shut down its side.
    let mut stream = BufReader::new(server.connect());
    let cut = message("PUT /v1/tags/a", &[JSON, ("content-length", "20")], "{\"step\"");
    stream.get_mut().write_all(cut.as_bytes()).unwrap();
    stream.get_mut().shutdown(std::net::Shutdown::Write).unwrap();
    let reply = Answer::read(&mut stream).unwrap();
    assert_eq!((reply.status, reply.closes()), (400, true), "{}", reply.json);
    assert_eq!(server.get("/v1/tags").ok()["tags"].as_array().unwrap().len(), 0);
}

#[test]
fn a_client_that_asks_first_sends_no_large_body() {
    let server = Server::fresh();
    let ask = |length: usize, host: &str| {
        let length = length.to_string();
        let headers =
            [JSON, ("host", host), ("expect", "100-continue"), ("content-length", &length)];
        let head = message("PUT /v1/tags/a", &headers, "");
        let mut stream = BufReader::new(server.connect());
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        let reply = Answer::read(&mut stream).unwrap();
        (reply, stream)
    };
    for (length, host, status) in [(1 << 30, "localhost", 413), (2, "evil.example", 403)] {
        let (reply, _) = ask(length, host);
        assert_eq!((reply.status, reply.closes()), (status, true), "{}", reply.json);
    }
    let (reply, mut stream) = ask(2, "localhost");
    assert_eq!(reply.status, 100);
    stream.get_mut().write_all(b"{}").unwrap();
    assert_eq!(Answer::read(&mut stream).unwrap().status, 200);
}

//! Refused bodies on connections that are kept: a client always reads the answer, and always
//! knows whether the connection goes on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use leafid_server::http::deadlines::Limits;
use serde_json::Value;

use crate::support::{LATE, Server, number, request};

/// The shortest time that is one.
const LEAST: Duration = Duration::from_millis(1);

/// A client that keeps its connection as long as it may, and sends all of a request before it
/// reads the answer.
struct Client {
    address: SocketAddr,
    kept: Option<BufReader<TcpStream>>,
    connections: usize,
}

#[derive(Debug)]
struct Reply {
    status: u16,
    closes: bool,
    json: Value,
}

impl Client {
    fn of(server: &Server) -> Client {
        Client { address: server.address, kept: None, connections: 0 }
    }

    /// Sends these bytes and reads one answer. Any broken pipe or reset is an error.
    fn ask(&mut self, request: &[u8]) -> std::io::Result<Reply> {
        let mut stream = match self.kept.take() {
            Some(stream) => stream,
            None => {
                self.connections += 1;
                let stream = TcpStream::connect(self.address)?;
                stream.set_read_timeout(Some(LATE))?;
                stream.set_write_timeout(Some(LATE))?;
                BufReader::new(stream)
            }
        };
        stream.get_mut().write_all(request)?;
        let reply = read(&mut stream)?;
        if reply.closes {
            // Nothing comes after the answer that closes.
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest)?;
            assert_eq!(String::from_utf8_lossy(&rest), "", "after {reply:?}");
        } else {
            self.kept = Some(stream);
        }
        Ok(reply)
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Reply> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let from = head.len();
        if stream.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = head[from..].to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Reply {
        status: head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"),
        closes: head.to_lowercase().contains("\r\nconnection: close\r\n"),
        json: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}

const JSON: &str = "content-type: application/json\r\n";

fn with_length(line: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("{line} HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn chunked(line: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\n{headers}transfer-encoding: chunked\r\n\r\n"
    );
    let mut request = head.into_bytes();
    for chunk in body.chunks(4_000) {
        request.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        request.extend_from_slice(chunk);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    request
}

/// Asks again where this machine stood still: what a client sends two seconds after its refusal is not
/// taken in any more.
fn ask_at_once(client: &mut Client, request: &[u8]) -> std::io::Result<Reply> {
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
    let mut client = Client::of(&server);
    let (mut broken, mut refused, mut served) = (Vec::new(), 0, 0);
    for turn in 0..200_u64 {
        let bytes = [16 * 1024 + 1, 40_000, 300_000, 2_000_000][turn as usize / 2 % 4];
        let body = vec![b' '; bytes];
        let form = if turn % 2 == 0 { with_length } else { chunked };
        let large = form("POST /v1/segments/orders/lease", JSON, &body);
        match ask_at_once(&mut client, &large) {
            Ok(reply) if reply.status == 413 => refused += 1,
            Ok(reply) => panic!("{bytes} bytes: {}: {}", reply.status, reply.json),
            Err(error) => broken.push(format!("{turn}: {bytes} bytes: {error}")),
        }
        // The next request of the same client is served.
        let body = format!("{{\"request\":\"{}\"}}", request(turn));
        let good = with_length("POST /v1/segments/orders/lease", JSON, body.as_bytes());
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

/// However long after the refusal it comes, and whatever it looks like.
#[test]
fn the_rest_of_a_refused_body_is_no_request() {
    let server = Server::limited(Limits::default());
    let mut stream = BufReader::new(server.connect());
    let head = "POST /v1/segments/orders/lease HTTP/1.1\r\nhost: localhost\r\n";
    let large = format!("{head}{JSON}content-length: 1000000\r\n\r\n");
    stream.get_mut().write_all(large.as_bytes()).unwrap();
    let reply = read(&mut stream).unwrap();
    assert_eq!((reply.status, reply.closes), (413, true), "{}", reply.json);
    // It sends no more, and for a while it takes in what comes.
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    let hidden = with_length("PUT /v1/tags/hidden", JSON, b"{}");
    let begun = Instant::now();
    while stream.get_mut().write_all(&hidden).is_ok() && begun.elapsed() < LATE {
        std::thread::sleep(LEAST * 10);
    }
    let tags = server.get("/v1/tags").ok();
    assert_eq!(tags["tags"].as_array().map(Vec::len), Some(1), "only `orders`: {tags}");
}

#[test]
fn a_refused_request_with_a_small_body_keeps_its_connection() {
    let server = Server::fresh();
    server.put("/v1/tags/orders", "{}").ok();
    let mut client = Client::of(&server);
    let body = vec![b' '; 12_000];
    for (line, headers, status) in [
        ("POST /v1/segments/orders/lease", "content-type: text/plain\r\n", 415),
        (
            "POST /v1/segments/orders/lease",
            "content-type: application/json\r\norigin: https://evil.example\r\n",
            403,
        ),
        ("POST /v1/nothing", JSON, 404),
        ("PUT /v1/segments/orders/lease", JSON, 405),
        ("POST /v1/segments/or%20ders/lease", JSON, 400),
        ("GET /v1/tags", "", 200),
    ] {
        for form in [with_length, chunked] {
            let reply = client.ask(&form(line, headers, &body)).unwrap();
            assert_eq!((reply.status, reply.closes), (status, false), "{line}: {}", reply.json);
        }
    }
    assert_eq!(client.connections, 1);
}

#[test]
fn a_malformed_or_cut_body_is_no_large_one() {
    let server = Server::fresh();
    let head = "PUT /v1/tags/a HTTP/1.1\r\nhost: localhost\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    for body in ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx\r\n0\r\n\r\n", "-1\r\n{}\r\n0\r\n\r\n"] {
        let reply = Client::of(&server).ask(format!("{head}{body}").as_bytes()).unwrap();
        assert_eq!((reply.status, reply.closes), (400, true), "{body:?}: {}", reply.json);
        assert_eq!(reply.json["code"], "REQUEST_INVALID", "{body:?}");
    }
    // Cut: the client has said all it will say.
    let mut stream = BufReader::new(server.connect());
    let cut = "PUT /v1/tags/a HTTP/1.1\r\nhost: localhost\r\n\
               content-type: application/json\r\ncontent-length: 20\r\n\r\n{\"step\"";
    stream.get_mut().write_all(cut.as_bytes()).unwrap();
    stream.get_mut().shutdown(std::net::Shutdown::Write).unwrap();
    let reply = read(&mut stream).unwrap();
    assert_eq!((reply.status, reply.closes), (400, true), "{}", reply.json);
    assert_eq!(server.get("/v1/tags").ok()["tags"].as_array().unwrap().len(), 0);
}

#[test]
fn a_client_that_asks_first_sends_no_large_body() {
    let server = Server::fresh();
    let ask = |length: usize, host: &str| {
        let head = format!(
            "PUT /v1/tags/a HTTP/1.1\r\nhost: {host}\r\n{JSON}\
             expect: 100-continue\r\ncontent-length: {length}\r\n\r\n"
        );
        let mut stream = BufReader::new(server.connect());
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        let reply = read(&mut stream).unwrap();
        (reply, stream)
    };
    for (length, host, status) in [(1 << 30, "localhost", 413), (2, "evil.example", 403)] {
        let (reply, _) = ask(length, host);
        assert_eq!((reply.status, reply.closes), (status, true), "{}", reply.json);
    }
    let (reply, mut stream) = ask(2, "localhost");
    assert_eq!(reply.status, 100);
    stream.get_mut().write_all(b"{}").unwrap();
    assert_eq!(read(&mut stream).unwrap().status, 200);
}

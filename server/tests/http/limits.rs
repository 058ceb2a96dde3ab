//! Limits against clients that keep connections idle or slow, and against too many of them.

use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use leafid_server::http::deadlines::Limits;

use crate::support::{Answer, JSON, LATE, Server, message, until};

const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
const IDS: &str = "POST /v1/segments/orders/ids";
const LIMIT: Duration = Duration::from_millis(400);

fn closed(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        Ok(_) => String::from_utf8(text).unwrap(),
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => String::new(),
        Err(error) => panic!("the connection is not closed: {error}"),
    }
}

fn drip(server: &Server, first: &str, byte: &[u8]) -> (Duration, String) {
    let begun = Instant::now();
    let mut stream = server.connect();
    stream.write_all(first.as_bytes()).unwrap();
    stream.set_read_timeout(Some(LIMIT / 10)).unwrap();
    let mut said = Vec::new();
    let mut part = [0; 4_096];
    while begun.elapsed() < LATE {
        // If this fails, the server's last words can still be read.
        let _ = stream.write_all(byte);
        match stream.read(&mut part) {
            Ok(0) => return (begun.elapsed(), String::from_utf8(said).unwrap()),
            Ok(read) => said.extend_from_slice(&part[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {
                return (begun.elapsed(), String::from_utf8(said).unwrap());
            }
            Err(_) => {}
        }
    }
    panic!("still open after {LATE:?}: {}", String::from_utf8_lossy(&said));
}

#[test]
fn idle_connections_are_closed_and_busy_ones_are_not() {
    let idle = Limits { idle: LIMIT, ..Limits::default() };
    let server = Server::limited(idle);
    assert_eq!(closed(server.connect()), "");
    let answered = || {
        let mut asked = server.connect();
        let sent = asked.write_all(HEALTH);
        sent.is_ok() && closed(asked).starts_with("HTTP/1.1 200")
    };
    // A client that this busy machine held up counts as idle: try again.
    until(answered);

    // A connection with frequent requests outlives the limit.
    let begun = Instant::now();
    while begun.elapsed() < LATE {
        let (since, mut last, mut busy) = (Instant::now(), Instant::now(), server.connect());
        while since.elapsed() < LIMIT * 3 {
            let asked = Instant::now();
            let sent = busy.write_all(HEALTH);
            let mut answer = [0; 1_024];
            let read = sent.and_then(|()| busy.read(&mut answer)).unwrap_or(0);
            if read == 0 {
                // Closed early only if this busy machine left the test idle.
                assert!(last.elapsed() >= LIMIT, "closed {:?} after a request", last.elapsed());
                break;
            }
            assert!(answer[..read].starts_with(b"HTTP/1.1 200"));
            last = asked;
        }
        if since.elapsed() >= LIMIT * 3 {
            return;
        }
    }
    panic!("no connection was kept busy");
}

#[test]
fn a_head_or_a_body_that_drips_is_not_waited_for() {
    let server = Server::limited(Limits { head: LIMIT, ..Limits::default() });
    let (took, said) = drip(&server, "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ", b"x");
    assert!(took >= LIMIT && said.is_empty(), "{took:?} {said}");
    // Only the body has a short limit, so the head arrives in time on any machine.
    let server = Server::limited(Limits { body: LIMIT, ..Limits::default() });
    let post = message(IDS, &[JSON, ("content-length", "9000")], "");
    let (took, said) = drip(&server, &post, b" ");
    assert!(took >= LIMIT, "{took:?}");
    let answer = Answer::read(&mut said.as_bytes()).unwrap();
    answer.refused(408, "REQUEST_INVALID");
    assert!(answer.closes(), "{answer:?}");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn an_answer_that_nobody_reads_is_given_up() {
    let slow = Limits { write: LIMIT, ..Limits::default() };
    let server = Server::limited(slow);
    let mut stream = server.connect();
    stream.set_write_timeout(Some(LATE)).unwrap();
    let request = message(IDS, &[JSON], r#"{"count":10000}"#);
    // Writes until the buffers of both ends are full, and then until the server gives up.
    let begun = Instant::now();
    while begun.elapsed() < LATE * 3 {
        if stream.write_all(request.as_bytes()).is_err() {
            return;
        }
    }
    panic!("the server still takes requests");
}

fn frame(kind: u8, flags: u8, stream: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [head.as_slice(), body].concat()
}

fn get(stream: u32, path: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let head = [&[0x82, 0x86, 0x04][..], &text(path), &[0x01], &text("localhost")].concat();
    frame(1, 5, stream, &head)
}

/// Requests the metrics over HTTP/2, with a flow-control window of `room` bytes for each answer.
fn asks_for_metrics(server: &Server, room: u32) -> TcpStream {
    let mut stream = server.connect();
    let settings = [&[0, 4][..], &room.to_be_bytes()].concat();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    stream.write_all(&[frame(4, 0, 0, &settings), get(1, "/metrics")].concat()).unwrap();
    stream.set_read_timeout(Some(LIMIT / 10)).unwrap();
    stream
}

/// Whether the server closes the connection within this time, though the client keeps asking.
fn closes_within(stream: &mut TcpStream, within: Duration) -> bool {
    let (begun, mut part) = (Instant::now(), [0; 65_536]);
    let mut asked = 1;
    while begun.elapsed() < within {
        asked += 2;
        if stream.write_all(&get(asked, "/healthz")).is_err() {
            return true;
        }
        let next = begun.elapsed() + LIMIT / 10;
        while begun.elapsed() < next {
            match stream.read(&mut part) {
                Ok(0) => return true,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return true,
                _ => {}
            }
        }
    }
    false
}

/// The server could send at once: only the client's window holds the answer up.
#[test]
fn an_answer_of_http2_that_nobody_takes_is_given_up() {
    let slow = Limits { write: LIMIT, ..Limits::default() };
    let server = Server::limited(slow);
    // Room for nothing, and for a part of the answer.
    for room in [0, 1, 20_000] {
        let mut stream = asks_for_metrics(&server, room);
        assert!(closes_within(&mut stream, LATE), "still open, with room for {room} bytes");
    }
    // A client that reads all may go on; tried again, as on a busy machine it may read too late.
    let goes_on = |_: &u32| !closes_within(&mut asks_for_metrics(&server, 1 << 30), LIMIT * 3);
    assert!((0..20).any(|turn| goes_on(&turn)), "closed");
}

#[test]
fn more_connections_than_there_is_room_for_are_told_so() {
    let few = Limits { connections: 2, ..Limits::default() };
    let server = Server::limited(few);
    // The connections of the set-up may take a moment to be freed.
    let mut held: Vec<TcpStream> = Vec::new();
    until(|| {
        let mut stream = server.connect();
        stream.write_all(HEALTH).unwrap();
        let mut answer = [0; 1_024];
        let read = stream.read(&mut answer).unwrap();
        if answer[..read].starts_with(b"HTTP/1.1 200") {
            held.push(stream);
        }
        held.len() == 2
    });
    let refused = server.send("GET", "/healthz", &[], "");
    refused.refused(503, "OVERLOADED");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(refused.closes(), "{refused:?}");
    drop(held.pop());
    until(|| server.send("GET", "/healthz", &[], "").status == 200);
    drop(held);
}

fn healthy(stream: &mut TcpStream) {
    stream.write_all(HEALTH).unwrap();
    assert_eq!(Answer::read(&mut BufReader::new(stream)).unwrap().status, 200);
}

#[test]
fn idle_connections_are_closed_in_order_at_a_stop() {
    let server = Server::limited(Limits { idle: LATE * 3, ..Limits::default() });
    let mut asked = server.connect();
    let mut silent = server.connect();
    healthy(&mut asked);
    let stopping = Instant::now();
    server.stop().unwrap();
    assert!(stopping.elapsed() < LATE, "nothing is under way that a stop would wait for");
    assert_eq!((asked.read(&mut [0]).unwrap(), silent.read(&mut [0]).unwrap()), (0, 0));
}

#[test]
fn a_client_that_ends_its_side_is_let_go() {
    let server = Server::limited(Limits { idle: LATE * 3, ..Limits::default() });
    for first in [&b""[..], b"PRI", b"GE"] {
        let mut stream = server.connect();
        healthy(&mut stream);
        stream.write_all(first).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert!(!said.contains("HTTP/1.1 200"), "{first:?}: {said}");
    }
    assert_eq!(server.get("/healthz").status, 200);
}

//! Connections that are put to rest between two requests, and go on as if they were not.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use leafid_server::http::life::Limits;

use crate::support::{LATE, Server};

const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// A server whose connections rest after so long, and are closed after so long without a request.
fn start(rest: Duration, idle: Duration) -> (tempfile::TempDir, Server) {
    Server::limited(Limits { rest, idle, ..Limits::default() })
}

/// Reads so many answers of `/healthz`; all but their dates.
fn answers(stream: &mut TcpStream, count: usize) -> Vec<String> {
    let (mut text, mut part) = (String::new(), [0; 4_096]);
    let mut had = Vec::new();
    while had.len() < count {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "closed after {} of {count} answers: {text}", had.len());
        text.push_str(std::str::from_utf8(&part[..read]).unwrap());
        while let Some(end) = text.find("{\"status\":\"ok\"}") {
            let rest = text.split_off(end + "{\"status\":\"ok\"}".len());
            had.push(std::mem::replace(&mut text, rest));
        }
    }
    assert_eq!(text, "", "nothing comes after the last answer");
    had
}

#[test]
fn what_comes_after_a_rest_is_served_however_it_comes() {
    // None but the longest pause is longer than the time after which it rests.
    let (_folder, server) = start(Duration::from_millis(1), LATE);
    let mut stream = server.connect();
    for turn in 0..60_u64 {
        std::thread::sleep(Duration::from_millis([0, 1, 2, 5][turn as usize % 4]));
        match turn % 5 {
            0 | 1 => stream.write_all(HEALTH).unwrap(),
            // Its first byte wakes the connection, and the rest comes to another reader.
            2 => {
                stream.write_all(&HEALTH[..1]).unwrap();
                std::thread::sleep(Duration::from_millis(turn % 4));
                stream.write_all(&HEALTH[1..]).unwrap();
            }
            // More than the first look takes in, and an end that comes late.
            3 => {
                stream.write_all(&HEALTH[..30]).unwrap();
                std::thread::sleep(Duration::from_millis(turn % 4));
                stream.write_all(&HEALTH[30..]).unwrap();
            }
            // Two at once, the second in two parts.
            _ => {
                stream.write_all(&[HEALTH, &HEALTH[..20]].concat()).unwrap();
                std::thread::sleep(Duration::from_millis(turn % 4));
                stream.write_all(&HEALTH[20..]).unwrap();
            }
        }
        for answer in answers(&mut stream, if turn % 5 == 4 { 2 } else { 1 }) {
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{turn}: {answer}");
        }
    }
}

#[test]
fn a_connection_that_rests_is_closed_when_it_was_idle_for_too_long_and_at_a_stop() {
    let idle = Duration::from_secs(3);
    let (_folder, server) = start(Duration::from_millis(1), idle);
    let (mut stream, begun) = (server.connect(), Instant::now());
    stream.write_all(HEALTH).unwrap();
    answers(&mut stream, 1);
    assert_eq!(stream.read(&mut [0; 16]).unwrap(), 0, "closed in order");
    assert!(begun.elapsed() >= idle, "{:?}", begun.elapsed());

    let (_folder, server) = start(Duration::from_millis(1), LATE * 3);
    let mut asked = server.connect();
    let mut silent = server.connect();
    asked.write_all(HEALTH).unwrap();
    answers(&mut asked, 1);
    let stopping = Instant::now();
    server.stop().unwrap();
    assert!(stopping.elapsed() < LATE, "nothing is under way that a stop would wait for");
    assert_eq!((asked.read(&mut [0]).unwrap(), silent.read(&mut [0]).unwrap()), (0, 0));
}

#[test]
fn a_client_that_ends_its_side_is_let_go() {
    let (_folder, server) = start(Duration::from_millis(1), LATE * 3);
    for first in [&b""[..], b"PRI", b"GE"] {
        let mut stream = server.connect();
        stream.write_all(HEALTH).unwrap();
        answers(&mut stream, 1);
        stream.write_all(first).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert!(!said.contains("HTTP/1.1 200"), "{first:?}: {said}");
    }
    assert_eq!(server.get("/healthz").status, 200);
}

/// What HTTP/2 begins with is told from HTTP/1.1 however it is cut, and what is neither is refused.
#[test]
fn the_first_bytes_tell_what_is_spoken() {
    let (_folder, server) = start(Duration::from_millis(1), LATE);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    for cut in [1, 4, 14, 23, 24, preface.len()] {
        let mut stream = server.connect();
        stream.write_all(&preface[..cut]).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        stream.write_all(&preface[cut..]).unwrap();
        let mut head = [0; 9];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(head[3], 4, "cut at {cut}: the server's settings: {head:?}");
    }
    let mut stream = server.connect();
    stream.write_all(b"PRI / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 405 "), "a method like another: {said}");
}

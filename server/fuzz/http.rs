//! Bytes to a server that listens: whatever comes, it answers in HTTP or hangs up, says nothing of an
//! error of its own, and goes on serving.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::Duration;

use leafid_store::backends::opening::Options;

use super::{Fate, Target};
use crate::app::Config;
use support::{LATE, Server};

#[expect(dead_code, reason = "the tests over HTTP use more of it")]
#[path = "../tests/http/support.rs"]
mod support;

const WORDS: &str = "\r\n | \r\n\r\n | GET  | PUT  | DELETE  | POST  | OPTIONS *  | CONNECT a:1  | HTTP/1.0 | HTTP/1.1 | \
    HTTP/2.0 | Host: localhost\r\n | Host: evil.example\r\n | Content-Length: 5\r\n | \
    Content-Length: 99999999999999999999\r\n | Transfer-Encoding: chunked\r\n | \
    Transfer-Encoding: gzip, chunked\r\n | Expect: 100-continue\r\n | Upgrade: h2c\r\n | \
    Connection: close\r\n | Content-Type: application/json\r\n | Content-Type: text/plain\r\n | \
    Origin: http://evil.example\r\n | X-Request-Id: \u{1}\r\n | \
    traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n | \
    Authorization: Bearer x\r\n | If-None-Match: *\r\n | Accept: */*\r\n | /v1/tags/orders | \
    /v1/decode/%00 | /%2e%2e/ | ?limit=0 | ?after=%FF | ?a=b&a=b | // | 0\r\n\r\n | ffffffffffffffff\r\n | \
    PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n | PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n | {\"step\":0} | \
    {\"count\":10001}";

/// A server, and how long it may be silent before it seems to wait for more.
struct Served {
    server: Server,
    soon: Duration,
}

impl Served {
    /// Sends the input and reads until the server hangs up. The write side is shut only once the server seems
    /// to wait for more: shut at once, it would drop the answer that it is about to send.
    fn exchange(&self, input: &[u8]) -> Vec<u8> {
        let mut stream = self.server.connect();
        stream.set_write_timeout(Some(LATE)).expect("a time-out");
        // A server that refuses early may close before it has read all of it.
        let _ = stream.set_read_timeout(Some(self.soon)).and_then(|()| stream.write_all(input));
        let (mut answer, mut part) = (Vec::new(), [0; 4_096]);
        while let Ok(length @ 1..) = stream.read(&mut part) {
            answer.extend_from_slice(&part[..length]);
        }
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream
            .set_read_timeout(Some(LATE))
            .and_then(|()| stream.read_to_end(&mut answer).map(drop));
        answer
    }

    fn is_well(&self) -> Result<(), String> {
        let answer = self.server.send("GET", "/readyz", &[], "");
        if answer.status == 200 { Ok(()) } else { Err(format!("it is not ready: {answer:?}")) }
    }
}

/// Checks that an answer is HTTP, and no internal error.
fn looked_at(answer: &[u8]) -> Result<Fate, String> {
    if !answer.starts_with(b"HTTP/1.") {
        // Frames of HTTP/2 begin with their length and kind: settings.
        let is_frames = answer.len() >= 9 && answer[3] == 4;
        return match answer.is_empty() || is_frames {
            true => Ok(Fate::Refused),
            false => Err("it is no HTTP".to_owned()),
        };
    }
    let status = answer.get(9..12).unwrap_or_default();
    match status {
        [b'2', ..] => Ok(Fate::Taken),
        b"500" => Err("an error of the server's own".to_owned()),
        [b'1' | b'4' | b'5', ..] => Ok(Fate::Refused),
        _ => Err("no such status".to_owned()),
    }
}

#[test]
fn requests() {
    let options = Options { first_use: true, ..Options::default() };
    let server = Server::fresh_with(options, Config::default());
    let mut served = Served { server, soon: Duration::ZERO };
    let target = Target { name: "http", inputs: 400, words: WORDS };
    let mut counts = (0, 0);
    // On a busy machine a server that is silent for a moment may be about to answer.
    for ms in [15, 60, 250] {
        served.soon = Duration::from_millis(ms);
        counts = fuzzed(&served, &target);
        if Target::looks(counts.0, counts.1) {
            break;
        }
    }
    let (taken, refused) = counts;
    assert!(Target::looks(taken, refused), "http: {taken} taken, {refused} refused");
    served.is_well().expect("it serves");
}

fn fuzzed(served: &Served, target: &Target) -> (u64, u64) {
    let count = std::cell::Cell::new(0);
    target.counted(|input| {
        let answer = served.exchange(input);
        count.set(count.get() + 1);
        if count.get() % 100 == 0 {
            served.is_well()?;
        }
        let said = |why| format!("{why}: {}", answer[..answer.len().min(600)].escape_ascii());
        looked_at(&answer).map_err(said)
    })
}

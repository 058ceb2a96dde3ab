//! HTTP/1.1 requests and answers as bytes on the wire.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take.
const LATE: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
    pub json: Value,
}

impl Answer {
    pub fn read(from: &mut impl BufRead) -> std::io::Result<Answer> {
        let mut answer = Answer::head(from)?;
        let length = answer.header("content-length").map_or(0, |n| n.parse().expect("a length"));
        from.take(length).read_to_string(&mut answer.body)?;
        answer.json = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
        Ok(answer)
    }

    /// Reads the head of an answer, without a body: all of an answer to a HEAD.
    pub fn head(from: &mut impl BufRead) -> std::io::Result<Answer> {
        let mut headers = String::new();
        while !headers.ends_with("\r\n\r\n") {
            if from.read_line(&mut headers)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = headers.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {headers}"));
        Ok(Answer { status, headers, body: String::new(), json: Value::Null })
    }

    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(found, _)| *found == name).map(|(_, value)| value);
        let value = values.next();
        assert_eq!(values.next(), None, "{name} twice: {self:?}");
        value
    }

    pub fn closes(&self) -> bool {
        self.header("connection") == Some("close")
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        assert_eq!(self.header("cache-control"), Some("no-store"), "{self:?}");
        self.json
    }

    /// Checks a refusal's status and code; gives its detail.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!((self.status, self.code()), (status, code), "{self:?}");
        self.json["detail"].as_str().expect("a detail").to_owned()
    }

    pub fn code(&self) -> &str {
        self.json["code"].as_str().unwrap_or("")
    }

    pub fn ids(self) -> Vec<u64> {
        let ids = self.ok()["ids"].take();
        ids.as_array().expect("ids").iter().map(number).collect()
    }
}

/// A client that keeps its connection as long as the server allows, and sends a whole request before it
/// reads the answer.
pub struct Client {
    address: String,
    kept: Option<BufReader<TcpStream>>,
    pub connections: usize,
}

impl Client {
    pub fn of(address: impl ToString) -> Client {
        Client { address: address.to_string(), kept: None, connections: 0 }
    }

    pub fn ask(&mut self, request: &str) -> std::io::Result<Answer> {
        let mut stream = match self.kept.take() {
            Some(stream) => stream,
            None => {
                self.connections += 1;
                let stream = TcpStream::connect(&self.address)?;
                stream.set_read_timeout(Some(LATE))?;
                stream.set_write_timeout(Some(LATE))?;
                BufReader::new(stream)
            }
        };
        stream.get_mut().write_all(request.as_bytes())?;
        let read = if request.starts_with("HEAD ") { Answer::head } else { Answer::read };
        let reply = read(&mut stream)?;
        if reply.closes() {
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

/// Sends a request that waits for a store's file, which this process locks meanwhile, and hangs up. Whether the
/// server noticed before it answered: on a slow machine its wait for the lock may end first.
pub fn hangs_up(address: &str, file: &Path, request: &str) -> bool {
    let other = rusqlite::Connection::open(file).expect("a file");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let mut caller = TcpStream::connect(address).expect("it listens");
    caller.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    caller.set_read_timeout(Some(Duration::from_millis(500))).expect("a time-out");
    caller.read_to_end(&mut answer).expect_err("no answer yet");
    caller.shutdown(Shutdown::Write).expect("it hangs up");
    // The server closes the connection too: it has noticed.
    caller.set_read_timeout(Some(LATE)).expect("a time-out");
    caller.read_to_end(&mut answer).expect("it is closed");
    other.execute_batch("ROLLBACK").expect("no lock");
    answer.is_empty()
}

pub fn number(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{value}"))
}

/// The text of a request; adds a `Host` and a length where `headers` has none.
pub fn message(line: &str, headers: &[(&str, &str)], body: &str) -> String {
    let says = |name: &str| headers.iter().any(|(said, _)| *said == name);
    let mut text = format!("{line} HTTP/1.1\r\n");
    if !says("host") {
        text.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !says("transfer-encoding") && !says("content-length") {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}")
}

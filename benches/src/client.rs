//! A client with one persistent connection, for one request after another.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use leafid_core::Refusal;
use leafid_wire::Reader;

use crate::Outcome;

const LIMIT: Duration = Duration::from_secs(30);

/// A client that waits for each answer before its next request.
pub struct Client {
    to: SocketAddr,
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
    line: String,
    body: Vec<u8>,
}

impl Client {
    /// Connects.
    pub fn connect(to: SocketAddr) -> Outcome<Client> {
        let connect = || {
            let stream = TcpStream::connect_timeout(&to, LIMIT)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(LIMIT))?;
            Ok::<_, std::io::Error>(BufReader::new(stream))
        };
        let stream = connect().map_err(|error| format!("{to}: {error}"))?;
        Ok(Client { to, stream, request: Vec::new(), line: String::new(), body: Vec::new() })
    }

    /// Sends a POST that must succeed. The answer is not parsed, to spare the clients' core.
    pub fn post(&mut self, path: &str, body: &str) -> Outcome {
        let status = self.exchange(path, body).map_err(|error| format!("`{path}`: {error}"))?;
        if status == 200 {
            return Ok(());
        }
        Err(format!("`{path}` was answered by {status} {}", String::from_utf8_lossy(&self.body)))
    }

    /// Parses the last answer.
    pub fn answer<T>(&self, get: fn(&mut Reader) -> Result<T, Refusal>) -> Outcome<T> {
        let read = Reader::parse(&self.body).and_then(|from| from.known(get));
        read.map_err(|invalid| format!("an answer: {invalid}"))
    }

    fn exchange(&mut self, path: &str, body: &str) -> std::io::Result<u16> {
        self.request.clear();
        write!(
            self.request,
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.to,
            body.len()
        )?;
        self.stream.get_mut().write_all(&self.request)?;
        let (mut status, mut length) = (0, 0);
        loop {
            self.line.clear();
            if self.stream.read_line(&mut self.line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = self.line.trim_end();
            if line.is_empty() {
                break;
            }
            if status == 0 {
                let word = line.split(' ').nth(1).and_then(|word| word.parse().ok());
                status = word.ok_or_else(|| std::io::Error::other(format!("`{line}`")))?;
            } else if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(std::io::Error::other)?;
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        Ok(status)
    }
}

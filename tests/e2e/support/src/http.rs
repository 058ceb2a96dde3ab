//! A minimal HTTP client: one GET per connection, answered in JSON.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);

/// A GET that must succeed. An answer without a JSON body is `Value::Null`.
pub fn get(from: SocketAddr, path: &str) -> Result<Value, String> {
    match ask(from, path) {
        Ok((200, body)) => Ok(body),
        Ok((status, body)) => Err(format!("`GET {path}` was answered by {status} {body}")),
        Err(error) => Err(format!("`GET {path}`: {error}")),
    }
}

fn ask(to: SocketAddr, path: &str) -> io::Result<(u16, Value)> {
    let mut stream = TcpStream::connect_timeout(&to, LIMIT)?;
    stream.set_read_timeout(Some(LIMIT))?;
    stream.set_write_timeout(Some(LIMIT))?;
    let head = format!("GET {path} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    read(&answer).ok_or_else(|| {
        let begin = String::from_utf8_lossy(&answer).chars().take(200).collect::<String>();
        io::Error::other(format!("answered by `{begin}`"))
    })
}

fn read(answer: &[u8]) -> Option<(u16, Value)> {
    let text = str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let length = name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse());
        if length.is_some_and(|length| length != Ok(body.len())) {
            // The connection was cut in the middle of the answer.
            return None;
        }
    }
    Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}

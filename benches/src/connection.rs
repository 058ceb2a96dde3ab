//! Persistent connections, each with one request after another, all on one thread: so little load that
//! the server is what is measured.

use std::io::{Error, ErrorKind, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leafid_wire::path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::server::{Server, TAG};
use crate::{Outcome, cpu};

/// The request of a bench.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    /// One number, made up by the bare handler.
    Bare,
    /// One number of a tag, which the server hands out from its own lease.
    Ids,
    /// A lease of a step, durable before it is answered.
    Lease,
    /// A number as plain text, from this path.
    Text(&'static str),
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    status: u16,
    is_number: bool,
}

struct Connection {
    stream: TcpStream,
    head: String,
    answer: Vec<u8>,
    made: u64,
    number: u64,
}

impl Connection {
    async fn open(server: &Server) -> Result<Connection> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = u64::from(std::process::id()) << 32 | NEXT.fetch_add(1, Ordering::Relaxed);
        let stream = TcpStream::connect(server.address).await?;
        stream.set_nodelay(true)?;
        let head = format!(" HTTP/1.1\r\nhost: {}\r\n", server.address);
        Ok(Connection { stream, head, answer: vec![0; 4_096], made: 0, number })
    }

    async fn ask(&mut self, asked: Asked) -> Result<Answer> {
        self.made += 1;
        let (path, body) = match asked {
            Asked::Bare => ("/ids".to_owned(), "{\"count\":1}".to_owned()),
            Asked::Ids => (path::numbers(TAG), "{\"count\":1}".to_owned()),
            Asked::Lease => {
                let request = format!("{:016x}{:016x}", self.number, self.made);
                (path::lease(TAG), format!("{{\"request\":\"{request}\"}}"))
            }
            Asked::Text(path) => (path.to_owned(), String::new()),
        };
        let (head, length) = (&self.head, body.len());
        let request = match asked {
            Asked::Text(_) => format!("GET {path}{head}\r\n"),
            _ => format!(
                "POST {path}{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            ),
        };
        self.stream.write_all(request.as_bytes()).await?;
        match self.read().await? {
            Answer { is_number: false, .. } if matches!(asked, Asked::Text(_)) => {
                Err(Error::other(format!("`{path}` was answered by no number")))
            }
            answer => Ok(answer),
        }
    }

    async fn read(&mut self) -> Result<Answer> {
        let mut had = 0;
        loop {
            let rest = self.answer.get_mut(had..).unwrap_or_default();
            let read = self.stream.read(rest).await?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            had += read;
            if let Some(answer) = parsed(self.answer.get(..had).unwrap_or_default())? {
                return Ok(answer);
            }
        }
    }
}

/// Parses an answer once it is complete.
fn parsed(text: &[u8]) -> Result<Option<Answer>> {
    let Some(end) = text.windows(4).position(|end| end == b"\r\n\r\n") else { return Ok(None) };
    let wrong = || Error::other(format!("answered `{}`", String::from_utf8_lossy(text)));
    let head = str::from_utf8(text.get(..end).unwrap_or_default()).map_err(|_| wrong())?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(wrong)?;
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.and_then(|(_, n)| n.parse().ok()).ok_or_else(wrong)?;
    let Some(body) = text.get(end + 4..end + 4 + length) else { return Ok(None) };
    let is_number = !body.is_empty() && body.iter().all(u8::is_ascii_digit);
    Ok(Some(Answer { status, is_number }))
}

/// Sends requests for this long over `many` connections, each of which must be answered by 200; returns
/// the server's CPU time per request, in µs.
pub fn round(server: &Server, asked: Asked, many: usize, length: Duration) -> Outcome<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(load(server, asked, many, length))
}

async fn load(server: &Server, asked: Asked, many: usize, length: Duration) -> Outcome<f64> {
    let mut connections = Vec::new();
    for _ in 0..many {
        let connection = Connection::open(server).await;
        connections.push(connection.map_err(|error| format!("no connection: {error}"))?);
    }
    let (before, begin) = (cpu::time_of(server.process)?, Instant::now());
    let mut tasks = JoinSet::new();
    for mut connection in connections {
        tasks.spawn(async move {
            while begin.elapsed() < length {
                let answer = connection.ask(asked).await.map_err(|error| error.to_string())?;
                if answer.status != 200 {
                    return Err(format!("{answer:?}"));
                }
            }
            Ok(connection.made)
        });
    }
    let mut made = 0;
    while let Some(task) = tasks.join_next().await {
        made += task.map_err(|error| error.to_string())??;
    }
    let spent = cpu::time_of(server.process)?.saturating_sub(before);
    Ok(spent.as_secs_f64() * 1e6 / made as f64)
}

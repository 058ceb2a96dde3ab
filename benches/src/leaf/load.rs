//! Connections that are kept, each with one request after another, all on one thread: cheap, so that
//! the server is what is measured.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::round::Round;
use crate::servers::Server;
use crate::{Outcome, cpu};

/// Asks for so long, on so many connections.
pub fn round(server: &Server, path: &str, connections: usize, length: Duration) -> Outcome<Round> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    let before = cpu::time_of(server.id())?;
    let begin = Instant::now();
    let mut waits: Vec<Duration> = Vec::new();
    runtime
        .block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for _ in 0..connections {
                let (address, request) = (server.address(), request.clone());
                tasks.spawn(async move {
                    let mut stream = TcpStream::connect(address).await?;
                    stream.set_nodelay(true)?;
                    let mut waits = Vec::new();
                    while begin.elapsed() < length {
                        let asked = Instant::now();
                        ask(&mut stream, request.as_bytes()).await?;
                        waits.push(asked.elapsed());
                    }
                    Ok::<_, std::io::Error>(waits)
                });
            }
            while let Some(task) = tasks.join_next().await {
                let task = task.map_err(std::io::Error::other)?;
                waits.extend(task?);
            }
            Ok::<_, std::io::Error>(())
        })
        .map_err(|error| format!("`{path}`: {error}"))?;
    let (took, spent) = (begin.elapsed(), cpu::time_of(server.id())?);
    let spent = spent.saturating_sub(before);
    Ok(Round::of(waits, took, spent))
}

/// One request, and its answer, which is a number.
async fn ask(stream: &mut TcpStream, request: &[u8]) -> std::io::Result<()> {
    stream.write_all(request).await?;
    let (mut answer, mut had) = ([0; 1_024], 0);
    loop {
        let rest = answer.get_mut(had..).unwrap_or_default();
        let read = stream.read(rest).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        had += read;
        let text = answer.get(..had).unwrap_or_default();
        if let Some(body) = body(text)? {
            return match !body.is_empty() && body.iter().all(u8::is_ascii_digit) {
                true => Ok(()),
                false => Err(wrong(text)),
            };
        }
    }
}

/// The body, when all of it is there.
fn body(answer: &[u8]) -> std::io::Result<Option<&[u8]>> {
    let Some(end) = answer.windows(4).position(|end| end == b"\r\n\r\n") else { return Ok(None) };
    let (head, body) = answer.split_at(end + 4);
    let name = b"content-length: ";
    let at = head.windows(name.len()).position(|found| found.eq_ignore_ascii_case(name));
    let digits = at.and_then(|at| head.get(at + name.len()..)).unwrap_or_default();
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    if !head.starts_with(b"HTTP/1.1 200 ") || length == 0 {
        return Err(wrong(answer));
    }
    Ok(body.get(..length))
}

fn wrong(answer: &[u8]) -> std::io::Error {
    std::io::Error::other(format!("answered `{}`", String::from_utf8_lossy(answer)))
}

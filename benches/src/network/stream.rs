//! One connection that is kept, and one request after another on it.

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

use leafid_wire::path;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::servers::{Server, TAG};

/// What bytes go over.
trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// One number of a tag, handed out by the server itself.
    Ids,
    /// A lease of a step, which is on disk before it is answered.
    Lease,
}

/// An answer, as far as it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// How long to wait before asking again, where it says so.
    pub after: Option<Duration>,
}

/// A connection.
pub struct Stream {
    io: Box<dyn Io>,
    head: String,
    request: String,
    answer: Vec<u8>,
    made: u64,
    number: u64,
}

impl Stream {
    /// Connects; each stream of a run has a number of its own.
    pub async fn connect(server: &Server, number: u64) -> Result<Stream> {
        let stream = TcpStream::connect(server.address).await?;
        stream.set_nodelay(true)?;
        let io: Box<dyn Io> = match &server.tls {
            None => Box::new(stream),
            Some(tls) => {
                let name = ServerName::IpAddress(server.address.ip().into());
                Box::new(tls.connect(name, stream).await?)
            }
        };
        let mut head =
            format!(" HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n", server.address);
        if let Some(token) = &server.token {
            head.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        let (request, answer) = (String::new(), vec![0; 4_096]);
        Ok(Stream { io, head, request, answer, made: 0, number })
    }

    /// Asks, and reads the answer.
    pub async fn ask(&mut self, asked: Asked) -> Result<Answer> {
        self.made += 1;
        let (path, body) = match asked {
            Asked::Ids => (path::numbers(TAG), "{\"count\":1}".to_owned()),
            Asked::Lease => {
                let request = format!("{:016x}{:016x}", self.number + 1, self.made);
                (path::lease(TAG), format!("{{\"request\":\"{request}\"}}"))
            }
        };
        let (head, length) = (&self.head, body.len());
        self.request.clear();
        self.request.push_str(&format!("POST {path}{head}content-length: {length}\r\n\r\n{body}"));
        self.io.write_all(self.request.as_bytes()).await?;
        self.io.flush().await?;
        self.answer().await
    }

    async fn answer(&mut self) -> Result<Answer> {
        let mut had = 0;
        loop {
            let rest = self.answer.get_mut(had..).unwrap_or_default();
            let read = self.io.read(rest).await?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            had += read;
            let text = self.answer.get(..had).unwrap_or_default();
            if let Some((answer, whole)) = parsed(text)?
                && whole <= had
            {
                return Ok(answer);
            }
        }
    }
}

/// An answer and its length, when its head is there.
fn parsed(text: &[u8]) -> Result<Option<(Answer, usize)>> {
    let Some(end) = text.windows(4).position(|end| end == b"\r\n\r\n") else { return Ok(None) };
    let wrong = || Error::other(format!("answered `{}`", String::from_utf8_lossy(text)));
    let head = str::from_utf8(text.get(..end).unwrap_or_default()).map_err(|_| wrong())?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(wrong)?;
    let of = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name))?.1.parse::<u64>().ok()
    };
    let length = of("content-length").ok_or_else(wrong)?;
    let after = of("retry-after").map(Duration::from_secs);
    Ok(Some((Answer { status, after }, end + 4 + length as usize)))
}

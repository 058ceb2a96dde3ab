//! A client's connection, closed so that the client can read why.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How long a client that was refused may go on sending what nobody reads.
const LINGER: Duration = Duration::from_secs(2);

/// A stream that, after a refusal which closes it, takes in what the client is still sending.
///
/// A socket that is closed with bytes unread resets the connection: the client sees a broken pipe
/// while it sends, or loses the answer that has already arrived.
#[derive(Debug)]
pub struct Connection<S> {
    stream: S,
    /// Whether the last answer was a refusal that closes.
    refused: bool,
    /// Until when the rest is taken in; set when the stream shuts down.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Connection<S> {
    /// A client's stream.
    pub fn new(stream: S) -> Connection<S> {
        Connection { stream, refused: false, until: None }
    }

    /// Looks at what begins an answer.
    fn look(&mut self, written: &[u8]) {
        if let Some(head) = refusal(written) {
            self.refused = has_line(head, b"connection: close");
        }
    }
}

/// The head of an answer with a status from 400 to 499, if this begins with one.
fn refusal(written: &[u8]) -> Option<&[u8]> {
    if !written.starts_with(b"HTTP/1.") || written.get(8..10) != Some(b" 4") {
        return None;
    }
    let end = written.windows(4).position(|end| end == b"\r\n\r\n")?;
    written.get(..end + 2)
}

fn has_line(head: &[u8], line: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|found| found.trim_ascii_end() == line)
}

/// A listener whose streams are [`Connection`]s.
#[derive(Debug)]
pub struct Connections<L>(pub L);

impl<L: Listener> Listener for Connections<L> {
    type Io = Connection<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Connection<L::Io>, L::Addr) {
        let (stream, address) = self.0.accept().await;
        (Connection::new(stream), address)
    }

    fn local_addr(&self) -> io::Result<L::Addr> {
        self.0.local_addr()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.look(bytes);
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(first) = parts.first() {
            self.look(first);
        }
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.until.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        if !this.refused {
            return Poll::Ready(Ok(()));
        }
        let until = this.until.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER)));
        let mut unread = [0; 16 * 1024];
        while until.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut unread);
            let read = ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}

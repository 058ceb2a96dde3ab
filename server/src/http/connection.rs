//! A client's connection: every refusal on it is a problem that the client can read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::life::Life;
use super::unread;

/// How long a client that was refused may go on sending what nobody reads.
const LINGER: Duration = Duration::from_secs(2);

/// A stream with two changes to what hyper makes of it. What passes through it tells what the
/// connection is [doing](Life).
///
/// - Hyper itself answers a request whose head it cannot read, without a body and without asking
///   anyone. That answer is exchanged for a problem, as any other refusal is.
/// - A socket that is closed with bytes unread resets the connection: the client sees a broken
///   pipe while it sends, or loses the answer that has already arrived. After a refusal that
///   closes, what the client still sends is taken in for a while.
#[derive(Debug)]
pub struct Connection<S> {
    stream: S,
    /// What was read already, and is to be read once more.
    ahead: Bytes,
    life: Arc<Life>,
    /// Whether hyper's own answers are exchanged.
    problems: bool,
    /// An answer that is being exchanged.
    exchange: Option<Exchange>,
    /// Whether the last answer was a refusal that closes.
    refused: bool,
    /// Whether it is shut down, or was begun to be.
    closing: bool,
    /// Until when the rest is taken in; set when the stream is shut down.
    until: Option<Pin<Box<Sleep>>>,
}

/// What is sent in place of an answer of hyper's.
#[derive(Debug)]
struct Exchange {
    text: Vec<u8>,
    sent: usize,
    /// The length of what hyper wanted to send.
    stands_for: usize,
}

impl<S> Connection<S> {
    /// A client's stream; what it does is told to `life`. Its client expects `problems`, or Leaf's
    /// words.
    pub fn new(stream: S, life: Arc<Life>, problems: bool) -> Connection<S> {
        let ahead = Bytes::new();
        let (exchange, refused, closing, until) = (None, false, false, None);
        Connection { stream, ahead, life, problems, exchange, refused, closing, until }
    }

    /// These bytes are read once more, before any others.
    pub fn unread(&mut self, bytes: Bytes) {
        self.ahead = bytes;
    }

    /// Whether nothing more is sent: no request on it is answered.
    pub fn is_closing(&self) -> bool {
        self.closing
    }

    /// Looks at the beginning of what hyper writes.
    fn look(&mut self, written: &[u8]) {
        let Some(head) = unread::refusal(written) else { return };
        self.refused = head.closes();
        let text = head.problem();
        let stands_for = head.bytes();
        self.exchange = text.map(|text| Exchange { text, sent: 0, stands_for });
    }
}

impl<S: AsyncWrite + Unpin> Connection<S> {
    /// Sends what stands for an answer, and then counts as having sent that.
    fn poll_exchange(
        &mut self,
        cx: &mut Context<'_>,
        exchange: &mut Exchange,
    ) -> Poll<io::Result<usize>> {
        while let Some(rest) = exchange.text.get(exchange.sent..).filter(|rest| !rest.is_empty()) {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            exchange.sent += sent;
        }
        Poll::Ready(Ok(exchange.stands_for))
    }

    /// As [`AsyncWrite::poll_write`], with `write` for whatever is not exchanged.
    fn poll_answer(
        &mut self,
        cx: &mut Context<'_>,
        beginning: &[u8],
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.exchange.is_none() && self.problems {
            self.look(beginning);
        }
        let sent = match self.exchange.take() {
            None => write(Pin::new(&mut self.stream), cx),
            Some(mut exchange) => {
                let sent = self.poll_exchange(cx, &mut exchange);
                if sent.is_pending() {
                    self.exchange = Some(exchange);
                }
                sent
            }
        };
        self.life.written(sent.is_pending());
        sent
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = match self.ahead.is_empty() {
            true => Pin::new(&mut self.stream).poll_read(cx, buffer),
            false => {
                let length = self.ahead.len().min(buffer.remaining());
                buffer.put_slice(&self.ahead.split_to(length));
                Poll::Ready(Ok(()))
            }
        };
        self.life.read(buffer.filled().get(before..).unwrap_or_default());
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_answer(cx, bytes, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = parts.first().map_or(&[][..], |first| first);
        self.poll_answer(cx, first, |stream, cx| stream.poll_write_vectored(cx, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        // Under TLS, what was taken in may not be sent yet.
        self.life.written(flushed.is_pending());
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.closing = true;
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

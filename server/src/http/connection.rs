//! Serves one connection until it ends, is overdue, or the server stops.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::Version;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;

use super::deadlines::{Deadlines, Overdue};
use super::entry::Entry;

/// The largest head of a request, in bytes; its path may take half of that.
const MOST_HEAD: usize = 128 * 1024;
const MOST_STREAMS: u32 = 128;

static BUILDER: LazyLock<Builder<TokioExecutor>> = LazyLock::new(|| {
    let mut builder = Builder::new(TokioExecutor::new());
    // Answers are small: copying them into one write is faster than a vectored one.
    builder.http1().max_buf_size(MOST_HEAD).writev(false);
    builder.http2().max_concurrent_streams(MOST_STREAMS);
    builder
});

/// Serves HTTP/1.1 or HTTP/2, by the client's first bytes. When the server stops, `stopped` changes, and
/// requests under way are answered.
pub async fn serve<I: AsyncRead + AsyncWrite + Unpin + 'static>(
    stream: I,
    peer: SocketAddr,
    entry: Arc<Entry>,
    mut stopped: watch::Receiver<()>,
) {
    let deadlines = Deadlines::new(entry.limits);
    let stream = Reporting { stream, stalled: false, deadlines: Arc::clone(&deadlines) };
    let reported = Arc::clone(&deadlines);
    let answers = service_fn(move |request: hyper::Request<Incoming>| {
        let http2 = request.version() == Version::HTTP_2;
        let (under_way, entry) = (reported.begin(http2), Arc::clone(&entry));
        async move {
            let answer = entry.answer(request.map(Body::new), Some(peer)).await;
            Ok::<_, Infallible>(match http2 {
                true => answer.map(|body| under_way.until_taken(body)),
                false => answer,
            })
        }
    });
    let mut connection = pin!(BUILDER.serve_connection(TokioIo::new(stream), answers));
    let mut ending = false;
    loop {
        let overdue = tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            _ = stopped.changed(), if !ending => None,
            overdue = deadlines.overdue() => Some(overdue),
        };
        if ending || overdue == Some(Overdue::Slow) {
            return;
        }
        ending = true;
        connection.as_mut().graceful_shutdown();
    }
}

/// A client's stream that reports its progress to the deadlines.
struct Reporting<S> {
    stream: S,
    stalled: bool,
    deadlines: Arc<Deadlines>,
}

impl<S> Reporting<S> {
    fn report(&mut self, stalled: bool) {
        if self.stalled != stalled {
            self.stalled = stalled;
            self.deadlines.stalled(stalled);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Reporting<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.deadlines.read();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Reporting<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.report(written.is_pending());
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        // TLS buffers bytes before it sends them.
        self.report(flushed.is_pending());
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

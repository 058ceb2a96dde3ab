//! Serves one connection until it ends, is overdue, or the server stops. Between two requests it is
//! put to rest: what hyper keeps for each connection is let go until somebody asks again.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tower::Service;

use super::caller::Peer;
use super::connection::Connection;
use super::life::{Life, Limits, Overdue};
use super::undelivered::Undelivered;

/// A request's head: its path is up to half of it.
pub const MOST_HEAD: usize = 128 * 1024;
/// Requests of one HTTP/2 connection at a time.
const MOST_STREAMS: u32 = 128;
/// What an HTTP/2 connection begins with.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What speaks on a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Http1,
    Http2,
}

/// A connection that is served.
pub struct Session<'s, S> {
    /// The other end.
    pub peer: SocketAddr,
    /// What answers. It is always ready.
    pub service: S,
    /// What the connection is doing.
    pub life: &'s Arc<Life>,
    /// How long it may.
    pub limits: &'s Limits,
    /// Changes, or is gone, when the server stops.
    pub stopped: watch::Receiver<()>,
}

impl<S> Session<'_, S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    /// Serves what comes in on this stream.
    pub async fn serve<I>(mut self, mut stream: Connection<I>)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let timer = Box::pin(sleep_until(Instant::now() + self.limits.idle));
        let mut bell = Bell { life: self.life, limits: self.limits, timer };
        loop {
            // Apart: a connection that rests need not be as large as one that is served.
            let version = match self.asked(&mut stream, &mut bell).await {
                Some(version) => version,
                None => {
                    let _ = Box::pin(timeout(self.limits.head, stream.shutdown())).await;
                    return;
                }
            };
            let rests = match version {
                Version::Http1 => Box::pin(self.http1(stream, &mut bell)).await,
                Version::Http2 => Box::pin(self.http2(stream, &mut bell)).await,
            };
            match rests {
                Some(rests) => stream = rests,
                None => return,
            }
        }
    }

    /// Waits until something is asked, with room for its first bytes alone. Nothing where nobody will.
    async fn asked<I>(&mut self, stream: &mut Connection<I>, bell: &mut Bell<'_>) -> Option<Version>
    where
        I: AsyncRead + Unpin,
    {
        let (mut first, mut filled) = ([0; PREFACE.len()], 0);
        loop {
            let more = poll_fn(|cx| {
                let mut buffer = ReadBuf::new(&mut first);
                buffer.set_filled(filled);
                match Pin::new(&mut *stream).poll_read(cx, &mut buffer) {
                    Poll::Ready(read) => Poll::Ready(read.map(|()| buffer.filled().len())),
                    Poll::Pending => {
                        bell.poll(cx, false).map(|_| Err(io::ErrorKind::TimedOut.into()))
                    }
                }
            });
            let more = tokio::select! {
                biased;
                more = more => more.ok()?,
                _ = self.stopped.changed() => return None,
            };
            let is_over = more == filled;
            filled = more;
            let had = first.get(..filled).unwrap_or_default();
            if had.is_empty() {
                return None;
            }
            let version = match PREFACE.starts_with(had) {
                true if had.len() == PREFACE.len() => Version::Http2,
                true if !is_over => continue,
                _ => Version::Http1,
            };
            stream.unread(Bytes::copy_from_slice(had));
            return Some(version);
        }
    }

    /// Serves HTTP/1.1; the stream, where nothing was asked for a while.
    async fn http1<I>(
        &mut self,
        stream: Connection<I>,
        bell: &mut Bell<'_>,
    ) -> Option<Connection<I>>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut builder = http1::Builder::new();
        // Answers are small: in one piece they are written faster than in two.
        builder.max_buf_size(MOST_HEAD).writev(false);
        let mut connection =
            builder.serve_connection(TokioIo::new(stream), self.answers(Version::Http1));
        if !self.drive(&mut connection, bell, true).await {
            return None;
        }
        let parts = connection.into_parts();
        let mut stream = parts.io.into_inner();
        if stream.is_closing() {
            // What its client still sends is no request: it is taken in to its end.
            let _ = Box::pin(timeout(self.limits.head, stream.shutdown())).await;
            return None;
        }
        if !parts.read_buf.is_empty() {
            stream.unread(parts.read_buf);
        }
        Some(stream)
    }

    /// Serves HTTP/2, to its end.
    async fn http2<I>(
        &mut self,
        stream: Connection<I>,
        bell: &mut Bell<'_>,
    ) -> Option<Connection<I>>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.max_concurrent_streams(MOST_STREAMS);
        let mut connection =
            builder.serve_connection(TokioIo::new(stream), self.answers(Version::Http2));
        self.drive(&mut connection, bell, false).await;
        None
    }

    /// Goes on until the connection ends, which is `false`, or may rest.
    async fn drive<C: Graceful>(
        &mut self,
        connection: &mut C,
        bell: &mut Bell<'_>,
        rests: bool,
    ) -> bool {
        let mut stopping = false;
        loop {
            let ended = poll_fn(|cx| match Pin::new(&mut *connection).poll(cx) {
                Poll::Ready(_) => Poll::Ready(None),
                Poll::Pending => bell.poll(cx, rests && !stopping).map(Some),
            });
            let overdue = tokio::select! {
                biased;
                ended = ended => match ended {
                    None => return false,
                    Some(overdue) => overdue,
                },
                _ = self.stopped.changed(), if !stopping => {
                    stopping = true;
                    Pin::new(&mut *connection).graceful();
                    continue;
                }
            };
            match overdue {
                // Hyper hears of a body that nobody reads any more after it has sent the answer; until then
                // the rest of it is no request.
                Overdue::Rest => match poll_once(connection).await {
                    Poll::Ready(_) => return false,
                    Poll::Pending if self.life.may_rest(self.limits) => return true,
                    Poll::Pending => {}
                },
                // An HTTP/2 client is told which of its requests were taken.
                Overdue::Idle if !stopping => {
                    stopping = true;
                    Pin::new(&mut *connection).graceful();
                    bell.timer.as_mut().reset(Instant::now() + self.limits.head);
                }
                Overdue::Idle | Overdue::Head | Overdue::Write => return false,
            }
        }
    }

    /// What hyper asks.
    fn answers(
        &self,
        version: Version,
    ) -> impl HttpService<Incoming, ResBody = Body, Error = Infallible, Future: Send> + 'static + use<S>
    {
        let (peer, service, life) = (self.peer, self.service.clone(), Arc::clone(self.life));
        service_fn(move |request: hyper::Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer));
            let under_way = UnderWay::new(&life);
            let answered = service.clone().call(request);
            let life = Arc::clone(&life);
            async move {
                let answered = answered.await.map(|answer| match version {
                    Version::Http1 => answer,
                    Version::Http2 => answer.map(|body| Undelivered::body(body, life)),
                });
                drop(under_way);
                answered
            }
        })
    }
}

/// How far this is now, whoever else has to be waited for.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx))).await
}

/// A connection that can be told to end after what is under way.
trait Graceful: Future + Unpin {
    fn graceful(self: Pin<&mut Self>);
}

impl<I, S> Graceful for http1::Connection<I, S>
where
    S: HttpService<Incoming, ResBody = Body, Error = Infallible>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin + 'static,
{
    fn graceful(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<I, S> Graceful for http2::Connection<I, S, TokioExecutor>
where
    S: HttpService<Incoming, ResBody = Body, Error = Infallible>,
    S::Future: Send + 'static,
    I: hyper::rt::Read + hyper::rt::Write + Unpin + 'static,
{
    fn graceful(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Rings when a connection has been doing one thing for too long.
struct Bell<'b> {
    life: &'b Life,
    limits: &'b Limits,
    timer: Pin<Box<Sleep>>,
}

impl Bell<'_> {
    /// Whether something is overdue; where it may rest, that too.
    fn poll(&mut self, cx: &mut Context<'_>, rests: bool) -> Poll<Overdue> {
        loop {
            let due = self.life.due(self.limits, rests);
            // It is set later only when it rings: most connections change faster than that.
            if let Some((at, _)) = due
                && at < self.timer.deadline()
            {
                self.timer.as_mut().reset(at);
            }
            if self.timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            match due {
                Some((at, overdue)) if at <= Instant::now() => return Poll::Ready(overdue),
                Some((at, _)) => self.timer.as_mut().reset(at),
                None => self.timer.as_mut().reset(Instant::now() + self.limits.head),
            }
        }
    }
}

/// A request under way, until it is answered or given up.
struct UnderWay(Arc<Life>);

impl UnderWay {
    fn new(life: &Arc<Life>) -> UnderWay {
        life.begin();
        UnderWay(Arc::clone(life))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.end();
    }
}

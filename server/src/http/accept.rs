//! Takes connections in, as many as there is room for, and serves each until it ends, is overdue,
//! or the server stops.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use leafid_core::Code;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower::Service;

use super::connection::Connection;
use super::life::{Life, Limits};
use super::session::{MOST_HEAD, Session};
use super::single::Single;
use super::tls::Tls;
use super::unread;
use crate::log::Rate;

/// After how long it is tried again where no connection can be accepted.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a client that is turned away has to read why.
const FAREWELL: Duration = Duration::from_secs(1);

/// Room for those that are turned away.
static TURNED_AWAY: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(64)));
static FULL: Rate = Rate::new();
static BROKEN: Rate = Rate::new();

/// What serves the connections of one address.
#[derive(Clone)]
pub struct Accepting {
    /// The listener's name, for the log.
    pub name: &'static str,
    /// Whether its clients expect problems.
    pub problems: bool,
    /// What they are greeted with, where it is TLS.
    pub tls: Option<Arc<Tls>>,
    /// How long clients may take.
    pub limits: Limits,
    /// Room for connections, shared by the addresses of a listener.
    pub room: Arc<Semaphore>,
    /// Changes, or is gone, when the server stops.
    pub stopped: watch::Receiver<()>,
}

impl Accepting {
    /// Serves until the server stops and all that was under way is answered.
    pub async fn run<S>(mut self, socket: TcpListener, service: S)
    where
        S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send,
    {
        // Each connection has an end of it; when none is left, all have ended.
        let (alive, ended) = watch::channel(());
        loop {
            let accepted = tokio::select! {
                accepted = socket.accept() => accepted,
                _ = self.stopped.changed() => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let (service, alive) = (service.clone(), ended.clone());
                    self.take_in(stream, peer, service, alive);
                }
                Err(error) => self.not_taken(&error).await,
            }
        }
        drop((socket, ended));
        alive.closed().await;
    }

    /// A connection that broke before it was taken in is no failure of the server's.
    async fn not_taken(&self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
        let kind = error.kind();
        if matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted) {
            return;
        }
        if let Some(left_out) = BROKEN.admit(Code::Internal) {
            let listener = self.name;
            tracing::error!(
                listener,
                left_out,
                "no connection can be accepted: {error}; raise the limit of open files, or lower \
                 --max-connections"
            );
        }
        sleep(PAUSE).await;
    }

    fn take_in<S>(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        service: S,
        alive: watch::Receiver<()>,
    ) where
        S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send,
    {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("TCP_NODELAY cannot be set, answers may be late: {error}");
        }
        let Ok(place) = Arc::clone(&self.room).try_acquire_owned() else {
            self.turn_away(stream);
            return;
        };
        let (limits, problems, stopped) = (self.limits, self.problems, self.stopped.clone());
        let tls = self.tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
        tokio::spawn(async move {
            let life = Arc::new(Life::beginning());
            let session = Session { peer, service, life: &life, limits: &limits, stopped };
            match tls {
                None => {
                    let stream = Connection::new(stream, Arc::clone(&life), problems);
                    session.serve(stream).await;
                }
                // Apart: a connection without TLS need not be as large.
                Some(tls) => {
                    Box::pin(async {
                        let Some(stream) = greet(tls, stream, peer, &limits).await else { return };
                        let stream = Connection::new(stream, Arc::clone(&life), problems);
                        session.serve(stream).await;
                    })
                    .await;
                }
            }
            let _: (OwnedSemaphorePermit, _) = (place, alive);
        });
    }

    /// Says that there is no room, to as many at a time as there is a little room for.
    fn turn_away(&self, mut stream: TcpStream) {
        let most = self.limits.connections;
        if let Some(left_out) = FULL.admit(Code::Overloaded) {
            let listener = self.name;
            tracing::warn!(
                listener,
                left_out,
                "all {most} connections are in use, and one more was turned away: raise \
                 --max-connections, or find out who keeps so many"
            );
        }
        // A client that expects TLS cannot read it.
        if self.tls.is_some() {
            return;
        }
        let Ok(place) = Arc::clone(&TURNED_AWAY).try_acquire_owned() else { return };
        tokio::spawn(async move {
            let text = unread::full(most);
            let told = async {
                stream.write_all(text.as_bytes()).await?;
                stream.shutdown().await?;
                // What was sent and is not read would take the answer away.
                tokio::io::copy(&mut stream.take(MOST_HEAD as u64), &mut tokio::io::sink()).await
            };
            let _ = tokio::time::timeout(FAREWELL, told).await;
            drop(place);
        });
    }
}

/// Agrees on TLS with a client.
async fn greet(
    tls: TlsAcceptor,
    stream: TcpStream,
    peer: SocketAddr,
    limits: &Limits,
) -> Option<TlsStream<Single>> {
    let error = match tokio::time::timeout(limits.head, tls.accept(Single(stream))).await {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it took longer than {:?}", limits.head),
    };
    // Anybody can cause it: it is for who looks into a client that cannot connect.
    tracing::debug!(%peer, "no TLS with this client: {error}");
    None
}

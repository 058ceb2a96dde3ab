//! Accepts connections up to the limit, with TLS where it is asked for.

use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use leafid_core::Code;
use leafid_store::problem::Problem;
use leafid_store::rate::Rate;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::entry::{Entry, named};
use super::{connection, request_id};
use crate::routes::answer::Refused;

/// The pause before the next try after `accept` failed.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a client beyond the limit has to send its request and read the refusal.
const FAREWELL: Duration = Duration::from_secs(1);

/// Clients that are being refused at a time.
static TURNED_AWAY: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(64)));
static FULL: Rate = Rate::new();
static BROKEN: Rate = Rate::new();

pub struct Acceptor {
    pub entry: Arc<Entry>,
    /// The limit of connections, shared by the addresses of a listener.
    pub room: Arc<Semaphore>,
    /// Changes when the server stops. Each connection keeps a clone until it ends.
    pub stopped: watch::Receiver<()>,
}

impl Acceptor {
    pub async fn run(mut self, socket: TcpListener) {
        loop {
            let accepted = tokio::select! {
                accepted = socket.accept() => accepted,
                _ = self.stopped.changed() => return,
            };
            match accepted {
                Ok((stream, peer)) => self.take_in(stream, peer),
                Err(error) => self.not_accepted(&error).await,
            }
        }
    }

    /// Logs a failure to accept, and waits. A connection that broke before is no failure of the server.
    async fn not_accepted(&self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
        let kind = error.kind();
        if matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted) {
            return;
        }
        if let Some(left_out) = BROKEN.admit(Code::Internal) {
            let listener = self.entry.listener.name;
            tracing::error!(
                listener,
                left_out,
                "no connection can be accepted: {error}; raise the limit of open files, or lower \
                 --max-connections"
            );
        }
        sleep(PAUSE).await;
    }

    fn take_in(&self, stream: TcpStream, peer: SocketAddr) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("TCP_NODELAY cannot be set, answers may be late: {error}");
        }
        let Ok(place) = Arc::clone(&self.room).try_acquire_owned() else {
            self.turn_away(stream);
            return;
        };
        let (entry, stopped) = (Arc::clone(&self.entry), self.stopped.clone());
        let tls = entry.rules.tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
        tokio::spawn(async move {
            let _place = place;
            let Some(tls) = tls else {
                return connection::serve(stream, peer, entry, stopped).await;
            };
            let why = match timeout(entry.limits.head, tls.accept(stream)).await {
                Ok(Ok(stream)) => return connection::serve(stream, peer, entry, stopped).await,
                Ok(Err(error)) => error.to_string(),
                Err(_) => format!("it took longer than {:?}", entry.limits.head),
            };
            // Any client can cause it, so it is no warning; it helps to debug a client that cannot connect.
            tracing::debug!(%peer, "no TLS with this client: {why}");
        });
    }

    /// Refuses a connection beyond the limit with an answer, a few at a time.
    fn turn_away(&self, stream: TcpStream) {
        let most = self.entry.limits.connections;
        if let Some(left_out) = FULL.admit(Code::Overloaded) {
            let listener = self.entry.listener.name;
            tracing::warn!(
                listener,
                left_out,
                "all {most} connections are in use, and one more was turned away: raise \
                 --max-connections, or find out who keeps so many"
            );
        }
        // A client that expects TLS cannot read it.
        if self.entry.rules.tls.is_some() {
            return;
        }
        let Ok(place) = Arc::clone(&TURNED_AWAY).try_acquire_owned() else { return };
        tokio::spawn(async move {
            let refuse = service_fn(|_: hyper::Request<Incoming>| {
                let detail =
                    format!("all {most} connections of this server are in use; ask again later");
                let problem = Problem::new(Code::Overloaded, detail);
                let answer = named(Refused(problem).into_response(), request_id::fresh());
                ready(Ok::<_, Infallible>(answer))
            });
            let mut builder = http1::Builder::new();
            let refused = builder.keep_alive(false).serve_connection(TokioIo::new(stream), refuse);
            let _ = timeout(FAREWELL, refused).await;
            drop(place);
        });
    }
}

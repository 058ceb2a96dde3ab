//! One HTTP connection to a member of etcd, with one request at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Address, Trust};
use crate::backends::link::{Breakage, Broken, Kind};
use crate::backends::tls;

const LARGEST: usize = 64 << 20;

pub struct Http {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    login: Option<(String, String)>,
    token: Option<String>,
}

impl Http {
    /// Connects to the first member that answers, starting with another one each time.
    pub async fn connect(address: &Address) -> Result<Http, Broken> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let from = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut failed = Broken::lost("no member is named");
        for at in 0..address.at.hosts.len() {
            let Some(host) = address.at.hosts.get((from + at) % address.at.hosts.len()) else {
                continue;
            };
            match Http::to(address, host).await {
                Ok(http) => return Ok(http),
                // The other members would deny access, too.
                Err(broken) if broken.is_denied() => return Err(broken),
                Err(broken) => failed = broken,
            }
        }
        Err(failed)
    }

    async fn to(address: &Address, host: &str) -> Result<Http, Broken> {
        let cannot = |error: std::io::Error| Broken::lost(format!("`{host}`: {error}"));
        let stream = TcpStream::connect(host).await.map_err(cannot)?;
        stream.set_nodelay(true).map_err(cannot)?;
        let lost = |error: hyper::Error| Broken::lost(format!("`{host}`: {error}"));
        let sender = match &address.tls {
            None => {
                let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(lost)?;
                // The task ends with the sender, which also reports its failure.
                tokio::spawn(connection);
                sender
            }
            Some(trust) => {
                let stream = over(stream, host, trust).await?;
                let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(lost)?;
                tokio::spawn(connection);
                sender
            }
        };
        let login = address.at.login.clone();
        let mut http = Http { sender, host: host.to_owned(), login, token: None };
        http.log_in().await?;
        Ok(http)
    }

    pub fn is_lost(&self) -> bool {
        self.sender.is_closed()
    }

    async fn log_in(&mut self) -> Result<(), Broken> {
        let Some((user, password)) = &self.login else { return Ok(()) };
        let body = json!({ "name": user, "password": password });
        self.token = None;
        match self.send(Method::POST, "/v3/auth/authenticate", &body.to_string()).await? {
            (StatusCode::OK, answer) => {
                let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
                self.token = answer["token"].as_str().map(str::to_owned);
                Ok(())
            }
            (status, answer) => Err(refused(status, &answer)),
        }
    }

    /// Calls a method of the v3 API.
    pub async fn post(&mut self, verb: &str, body: &Value) -> Result<Value, Broken> {
        let (path, body) = (format!("/v3/{verb}"), body.to_string());
        let mut answered = self.send(Method::POST, &path, &body).await?;
        // Tokens expire. With an unknown token nothing was done, so it is safe to send again.
        if answered.0 != StatusCode::OK && self.token.is_some() && is_old_token(&answered.1) {
            self.log_in().await?;
            answered = self.send(Method::POST, &path, &body).await?;
        }
        match answered {
            (StatusCode::OK, answer) => serde_json::from_slice(&answer)
                .map_err(|error| Broken::lost(format!("the answer is not JSON: {error}"))),
            (status, answer) => Err(refused(status, &answer)),
        }
    }

    /// Gets a path.
    pub async fn get(&mut self, path: &str) -> Result<Bytes, Broken> {
        match self.send(Method::GET, path, "").await? {
            (StatusCode::OK, answer) => Ok(answer),
            (status, answer) => Err(refused(status, &answer)),
        }
    }

    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: &str,
    ) -> Result<(StatusCode, Bytes), Broken> {
        let host = self.host.clone();
        let lost = |error: &dyn std::fmt::Display| {
            Broken::lost(format!("the connection to `{host}` broke: {error}"))
        };
        let mut request = Request::builder().method(method).uri(path).header(HOST, &self.host);
        request = request.header(CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned())));
        let request = request.map_err(|error| Broken::refused(error.to_string()))?;
        // On another thread the connection may still be at the end of the last answer: it would refuse.
        self.sender.ready().await.map_err(|error| lost(&error))?;
        let answer = self.sender.send_request(request).await.map_err(|error| lost(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), LARGEST).collect().await;
        Ok((status, body.map_err(|error| lost(&error))?.to_bytes()))
    }
}

async fn over(
    stream: TcpStream,
    host: &str,
    trust: &Trust,
) -> Result<TlsStream<TcpStream>, Broken> {
    let cannot = |error: &dyn std::fmt::Display| Broken::lost(format!("`{host}`: {error}"));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(name).map_err(|error| cannot(&error))?;
    let connector = TlsConnector::from(Arc::clone(trust));
    connector.connect(name, stream).await.map_err(|error| match tls::failure(&error) {
        // A failure of TLS, which no later try will change.
        Some(failure) => {
            Broken::refused(format!("`{host}`: {}", tls::advice(failure, "?ca=FILE", None)))
        }
        None => cannot(&error),
    })
}

/// Whether the token has expired, or is from before a change of users or roles.
fn is_old_token(answer: &[u8]) -> bool {
    let answer = String::from_utf8_lossy(answer);
    OLD_TOKEN.iter().any(|old| answer.contains(old))
}

const OLD_TOKEN: &[&str] =
    &["invalid auth token", "revision of auth store is old", "revision in header is old"];
/// Messages of etcd for a failed login, besides the code for it.
const NO_LOGIN: &[&str] =
    &["invalid user ID or password", "user name is empty", "user name not found"];

/// Classifies an error of etcd. The request may have been carried out if the member could not reach the
/// others.
fn refused(status: StatusCode, answer: &[u8]) -> Broken {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let said = answer["error"].as_str().or_else(|| answer["message"].as_str());
    let said = said.unwrap_or("nothing that can be read");
    let detail = format!("etcd said (HTTP {}): {said}", status.as_u16());
    // Codes of gRPC: the request was wrong, was not allowed, or exceeded a limit.
    let kind = match answer["code"].as_u64() {
        Some(3 | 9) if NO_LOGIN.iter().any(|words| said.contains(words)) => {
            Breakage::Of(Kind::Login)
        }
        Some(16) => Breakage::Of(Kind::Login),
        Some(7) => Breakage::Of(Kind::Denied),
        Some(3 | 5 | 8 | 9 | 11 | 12) => Breakage::Refused,
        _ => Breakage::Of(Kind::Lost),
    };
    Broken { detail, kind }
}

//! The store over HTTP: sends asks and reads answers, on connections of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use leafid_core::{Ask, Code, Grant, Release};
use leafid_wire::{Answer, Call, LONGEST_ANSWER, Problem};
use ureq::http::{HeaderMap, Response, Uri};
use ureq::tls::TlsConfig;
use ureq::{Agent, Body};

use crate::Error;
use crate::driver::Hub;
use crate::host::fork_cell::{ForkCell, ForkLock};
use crate::stores::credentials::{Credentials, tls};
use crate::stores::{Backend, Transport, shown};

/// The time-out of one request.
const PATIENCE: Duration = Duration::from_secs(3);

/// A server's address, and the credentials for it.
pub struct Http {
    /// Without a slash at the end; with the password, if there is one.
    pub url: String,
    token: Option<String>,
    trust: Option<TlsConfig>,
    /// The constructor's arguments, without those from the environment, for a pickle.
    pub given: Credentials,
    hub: ForkCell<Hub>,
}

/// The servers that callers named by a URL alone: generators with the same name share one.
static NAMED: ForkLock<BTreeMap<(String, Credentials), Weak<Http>>> = ForkLock::new();

impl Http {
    /// Creates the server behind a URL, with these credentials; missing ones come from the environment.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but an `http://` or `https://` URL, and for a file that cannot be
    /// used.
    pub fn new(url: &str, shown_to_it: Credentials) -> Result<Http, Error> {
        let given = shown_to_it.clone();
        let Credentials { token, ca, cert, key } = shown_to_it.or_environment();
        let wrong = |why: &str| {
            let message = format!(
                "`{}` {why}: the URL of a store is like `http://127.0.0.1:8750`, `https://…`, \
                 `sqlite:ids.db`, `postgres://…`, `mysql://…` or, in a test, `memory:`",
                shown(url)
            );
            Error::new(Code::RequestInvalid, message)
        };
        let uri = Uri::try_from(url).map_err(|_| wrong("is not a URL"))?;
        match uri.scheme_str() {
            Some("http" | "https") => {}
            _ => return Err(wrong("begins like the URL of no store")),
        }
        if uri.host().is_none_or(str::is_empty) {
            return Err(wrong("has no host"));
        }
        // The parser drops what follows a `#`, but the paths of asks would be added to it.
        if uri.query().is_some() || url.contains('#') {
            return Err(wrong("has a query or a fragment, which no store takes"));
        }
        if !has_good_port(&uri) {
            return Err(wrong("has a port outside 1 to 65535"));
        }
        if token.as_ref().is_some_and(|token| !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            let message = "`token` must have printable ASCII characters only, without spaces";
            return Err(Error::new(Code::RequestInvalid, message));
        }
        // The files are for TLS alone: a proxy in front of the server may speak plain HTTP.
        let is_tls = uri.scheme_str() == Some("https");
        let file = |path: Option<PathBuf>| path.filter(|_| is_tls);
        let trust = tls(file(ca), file(cert), file(key))?;
        let (url, hub) = (url.trim_end_matches('/').to_owned(), ForkCell::new(Hub::new()));
        Ok(Http { url, token, trust, given, hub })
    }

    /// The server behind a URL, shared by all callers with the same URL and the same credentials in the
    /// environment.
    pub fn named(url: &str) -> Result<Arc<Http>, Error> {
        let asker = Credentials::default().or_environment();
        let name = (url.to_owned(), asker);
        let mut named = NAMED.lock();
        if let Some(http) = named.get(&name).and_then(Weak::upgrade) {
            return Ok(http);
        }
        let http = Arc::new(Http::new(url, Credentials::default())?);
        named.retain(|_, http| http.strong_count() > 0);
        named.insert(name, Arc::downgrade(&http));
        Ok(http)
    }
}

impl Backend for Http {
    fn hub(&self) -> &ForkCell<Hub> {
        &self.hub
    }

    fn place(&self) -> Option<String> {
        Some(self.url.clone())
    }

    fn connect(self: Arc<Self>) -> Box<dyn Transport> {
        let agent = agent(&self.trust);
        Box::new(Connection { http: self, agent })
    }
}

/// Whether the port is valid or absent. An invalid one would be ignored, and the scheme's default port
/// used: perhaps another store.
fn has_good_port(uri: &Uri) -> bool {
    let Some(authority) = uri.authority() else { return true };
    let place = authority.as_str().rsplit_once('@').map_or(authority.as_str(), |(_, after)| after);
    let port = place.strip_prefix(authority.host()).unwrap_or(place);
    let is_number = port.bytes().skip(1).all(|digit| digit.is_ascii_digit());
    port.is_empty() || is_number && uri.port_u16() > Some(0)
}

/// An HTTP client without proxies and redirects, so that answers come from the server itself.
fn agent(trust: &Option<TlsConfig>) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_global(Some(PATIENCE))
        .user_agent(concat!("leafid/", env!("CARGO_PKG_VERSION")));
    let config = match trust {
        Some(trust) => config.tls_config(trust.clone()),
        None => config,
    };
    config.build().new_agent()
}

/// A server, and the connections to it.
struct Connection {
    http: Arc<Http>,
    agent: Agent,
}

impl Transport for Connection {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Error> {
        self.post(&Call::ask(ask), |answer| answer.grant(ask))
    }

    fn release(&mut self, release: &Release) -> Result<(), Error> {
        self.post(&Call::release(release), |_| Ok(()))
    }

    fn reconnect(&mut self) {
        // Connections that a restored image inherited are neither used nor shut down.
        let fresh = agent(&self.http.trust);
        std::mem::forget(std::mem::replace(&mut self.agent, fresh));
    }
}

impl Connection {
    /// Sends a call, and passes the server's answer to `read`.
    fn post<T>(
        &self,
        call: &Call,
        read: impl FnOnce(&Answer<'_>) -> Result<T, Problem>,
    ) -> Result<T, Error> {
        let url = format!("{}{}", self.http.url, call.path);
        let mut request = self
            .agent
            .post(&url)
            .header("content-type", "application/json")
            .header("accept", "application/json, application/problem+json");
        if let Some(token) = &self.http.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let place = shown(&url);
        let unanswered = |error: ureq::Error| {
            if is_without_tls(&error) {
                let message = format!("`{place}` answered without TLS: use `http://`");
                return Error::new(Code::RequestInvalid, message);
            }
            let error = error.to_string();
            let advice = advice(&error);
            let message = format!("no answer from `{place}`: {error}; {advice}");
            Error::new(Code::StoreUnavailable, message)
        };
        let mut response = request.send(&call.body).map_err(unanswered)?;
        let body = whole(&mut response).map_err(unanswered)?;
        let header = |name| text(response.headers(), name);
        let answer = Answer {
            url: &place,
            status: response.status().as_u16(),
            content_type: header("content-type").unwrap_or_default(),
            retry_after: header("retry-after"),
            body: &body,
        };
        Ok(read(&answer)?)
    }
}

/// Whether the peer of a TLS handshake does not speak TLS, which waiting cannot cure. Recognized by the
/// message, since the error's type belongs to a crate that is not a direct dependency.
fn is_without_tls(error: &ureq::Error) -> bool {
    error.to_string().contains("corrupt message of type InvalidContentType")
}

/// The advice for a server that did not answer.
fn advice(error: &str) -> &'static str {
    match error {
        error if error.contains("NotValidForName") || error.contains("not valid for name") => {
            "use a host name that the server's certificate has"
        }
        error if error.contains("peer certificate") => {
            "name the certificate of the authority that signed the server's, as LEAFID_CA or \
             as `ca` of the store"
        }
        // The first bytes of a TLS record, read as a status line, give this error.
        error if error.contains("invalid HTTP version") => "if it speaks TLS, use `https://`",
        _ => "is the store running?",
    }
}

fn whole(response: &mut Response<Body>) -> Result<Vec<u8>, ureq::Error> {
    match response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec() {
        // An answer came, although it is of no use.
        Err(ureq::Error::BodyExceedsLimit(_)) => Ok(Vec::new()),
        read => read,
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

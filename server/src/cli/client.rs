//! How a verb reaches the store: over HTTP, or, when no server runs, in the file itself, through
//! the same paths.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue};
use clap::Args;
use clap::error::ErrorKind;
use leafid_core::Code;
use leafid_store::backends::opening::Options;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_wire::Answer;
use serde_json::Value;
use tower::ServiceExt;

use super::credentials::Credentials;
use super::named::{VARIABLE, masked, open, path, variable};
use super::{Failure, address, database};
use crate::app::{App, Config};
use crate::http::router;

/// How long an answer may take: acquires that wait in a line are told after a few seconds.
const PATIENCE: Duration = Duration::from_secs(30);
const DEFAULT_URL: &str = "http://127.0.0.1:8750";
/// An answer is at most this large: 10,000 IDs, or 1,000 rows.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Which store a verb speaks to.
#[derive(Args, Debug)]
pub struct Target {
    /// The server to ask [default: LEAFID_STORE, or http://127.0.0.1:8750]
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    url: Option<String>,
    /// Opens this store directly, without a server: `sqlite:PATH`, a plain path, or the URL of a
    /// database
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

impl Target {
    /// The store that it opens directly, if one is named.
    pub fn store(&self) -> Option<&str> {
        self.store.as_deref()
    }

    /// The option that names it, and what it says, if one is given.
    pub fn given(&self) -> Option<(&'static str, &str)> {
        let url = self.url.as_deref().map(|url| ("--url", url));
        url.or_else(|| self.store.as_deref().map(|store| ("--store", store)))
    }

    /// Opens the way to it.
    pub fn connect(self) -> Result<Client, Failure> {
        let (by, named) = match (self.url, self.store) {
            (Some(url), _) => ("--url", url),
            (None, Some(store)) => ("--store", store),
            (None, None) => (VARIABLE, variable().unwrap_or_else(|| DEFAULT_URL.to_owned())),
        };
        if by == "--url" || is_server(&named) {
            return http(by, &named, PATIENCE, &self.credentials);
        }
        let allow_unsafe = std::env::var("LEAFID_ALLOW_UNSAFE_SETTINGS")
            .is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"));
        let store: Arc<Registry> = Arc::new(match database::open(&named, allow_unsafe) {
            Some(store) => store?,
            None => open(&path(&named)?, Options::default())?,
        });
        Ok(Client::within(store)?)
    }
}

/// The way to a running server: the one that is named, or the one that the environment means.
///
/// # Errors
/// The command line is misused: what is named is not an address.
pub fn server(
    url: Option<String>,
    patience: Duration,
    credentials: &Credentials,
) -> Result<Client, Failure> {
    let listens = || {
        let all = std::env::var("LEAFID_LISTEN").ok()?;
        let first = all.split(',').next().filter(|at| !at.is_empty())?;
        Some(format!("http://{}", first.trim_start_matches("http://")))
    };
    let (by, named) = match (url, variable().filter(|named| is_server(named))) {
        (Some(url), _) => ("--url", url),
        (None, Some(named)) => (VARIABLE, named),
        (None, None) => ("LEAFID_LISTEN", listens().unwrap_or_else(|| DEFAULT_URL.to_owned())),
    };
    http(by, &named, patience, credentials)
}

/// Whether it names a running server.
fn is_server(named: &str) -> bool {
    named.starts_with("http://") || named.starts_with("https://")
}

fn http(
    by: &str,
    named: &str,
    patience: Duration,
    credentials: &Credentials,
) -> Result<Client, Failure> {
    let base = address::base(named).map_err(|takes| {
        let wrong = format!("`{by}` takes {takes}, got `{}`\n", masked(named));
        clap::Error::raw(ErrorKind::ValueValidation, wrong)
    })?;
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(patience))
        .proxy(None)
        .tls_config(credentials.tls()?)
        .build()
        .new_agent();
    Ok(Client::Http { base, agent, token: credentials.token()? })
}

/// What came back: the status, the media type, the body.
type Answered = (u16, String, Vec<u8>);

/// A way to a store.
pub enum Client {
    /// A server.
    Http {
        /// Its address, without a slash at the end.
        base: String,
        /// What keeps connections.
        agent: ureq::Agent,
        /// What is shown to it.
        token: Option<String>,
    },
    /// The file itself.
    Local {
        /// Where it runs.
        runtime: tokio::runtime::Runtime,
        /// The server that does not listen.
        app: Arc<App>,
    },
}

impl Client {
    /// A server that does not listen, over a store that is open.
    ///
    /// # Errors
    /// `INTERNAL` where nothing can wait for it.
    pub fn within(store: Arc<Registry>) -> Result<Client, Problem> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
        let app = App::new(&Config::default(), store)?;
        Ok(Client::Local { runtime, app })
    }

    /// One request; a body makes it JSON. `only_create` adds `If-None-Match: *`.
    pub fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
        only_create: bool,
    ) -> Result<Value, Problem> {
        self.send(method, path, body, only_create.then_some(IF_NONE_MATCH))
    }

    /// Changes what is there, and creates nothing.
    pub fn change(&self, path: &str, body: String) -> Result<Value, Problem> {
        self.send("PUT", path, Some(body), Some(IF_MATCH))
    }

    /// One request, on this condition.
    fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
        only: Option<HeaderName>,
    ) -> Result<Value, Problem> {
        let (url, answered) = match self {
            Client::Http { base, agent, token } => {
                let url = format!("{base}{path}");
                let mut request = build(method, &url, body.unwrap_or_default(), only)?;
                if let Some(token) = token {
                    let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
                    let invalid = |_| Problem::new(Code::RequestInvalid, "the token is no header");
                    request.headers_mut().insert(AUTHORIZATION, bearer.map_err(invalid)?);
                }
                let answered = agent.run(request).and_then(|mut response| {
                    let (status, kind) = (response.status().as_u16(), kind(response.headers()));
                    let body = response.body_mut().with_config().limit(MOST_BYTES as u64);
                    Ok((status, kind, body.read_to_vec()?))
                });
                let answered = answered.map_err(|error| {
                    let error = error.to_string();
                    let advice = advice(&error);
                    Problem::unavailable(format!("no answer from `{base}`: {error}; {advice}"))
                })?;
                (url, answered)
            }
            Client::Local { runtime, app } => {
                let request = build(method, path, Body::from(body.unwrap_or_default()), only)?;
                let router = router::local(Arc::clone(app));
                let answered = runtime.block_on(async move {
                    let Ok(response) = router.oneshot(request).await;
                    let (status, kind) = (response.status().as_u16(), kind(response.headers()));
                    let body = to_bytes(response.into_body(), MOST_BYTES).await;
                    let body = body.map_err(|error| {
                        Problem::new(Code::Internal, format!("the answer cannot be read: {error}"))
                    })?;
                    Ok::<_, Problem>((status, kind, body.to_vec()))
                })?;
                (path.to_owned(), answered)
            }
        };
        read(&url, answered)
    }

    /// All rows of a list, page by page; `key` is the field that names a row.
    pub fn list(&self, path: &str, field: &str, key: &str) -> Result<Vec<Value>, Problem> {
        let mut rows: Vec<Value> = Vec::new();
        loop {
            let after = rows.last().map(|row| match &row[key] {
                Value::String(name) => name.clone(),
                number => number.to_string(),
            });
            let after = after.unwrap_or_default();
            let page = format!("{path}?limit=1000&after={after}");
            let mut answer = self.call("GET", &page, None, false)?;
            match answer[field].take() {
                Value::Array(more) if !more.is_empty() => rows.extend(more),
                _ => return Ok(rows),
            }
        }
    }

    /// Gives back what the verb leased and did not use.
    pub fn close(self) {
        if let Client::Local { runtime, app } = self {
            runtime.block_on(app.generators.close());
        }
    }
}

fn build<B>(
    method: &str,
    uri: &str,
    body: B,
    only: Option<HeaderName>,
) -> Result<ureq::http::Request<B>, Problem> {
    let mut request = ureq::http::Request::builder().method(method).uri(uri);
    if uri.starts_with('/') {
        request = request.header("host", "localhost");
    }
    if method != "GET" {
        request = request.header("content-type", "application/json");
    }
    if let Some(only) = only {
        request = request.header(only, "*");
    }
    request.body(body).map_err(|error| {
        let detail = format!("`{}` cannot be asked for: {error}", shown(uri));
        Problem::new(Code::RequestInvalid, detail)
    })
}

fn kind(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().to_owned()
}

/// An answer's object, or the problem that it is.
fn read(url: &str, (status, kind, body): Answered) -> Result<Value, Problem> {
    let answer = Answer { url, status, content_type: &kind, retry_after: None, body: &body };
    Ok(Value::Object(answer.object()?))
}

/// What to do about a server that did not answer.
fn advice(error: &str) -> &'static str {
    match error {
        error if error.contains("NotValidForName") || error.contains("not valid for name") => {
            "use a host name that the server's certificate has"
        }
        error if error.contains("peer certificate") => {
            "name the certificate of the authority that signed the server's: --ca FILE"
        }
        // A TLS record is no status line.
        error if error.contains("invalid HTTP version") => "if it speaks TLS, write https://",
        error if error.contains("InvalidContentType") => "if it speaks plain HTTP, write http://",
        _ => "is it running? start it with: leafid serve",
    }
}

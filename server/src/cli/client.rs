//! A verb's client: calls a server over HTTP or, with a store of its own, the same handlers in this process.

use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::{Request, Response, Uri};
use clap::Args;
use clap::error::ErrorKind;
use leafid_core::Code;
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_wire::Answer;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::credentials::Credentials;
use super::named::{VARIABLE, masked, variable};
use super::store::place;
use super::{Failure, invalid, runtime};
use crate::app::{App, Config};
use crate::http::entry::Entry;

/// How long an answer may take: queued acquires are answered after a few seconds.
const PATIENCE: Duration = Duration::from_secs(30);
const DEFAULT_URL: &str = "http://127.0.0.1:8750";
/// The largest answer, in bytes: it has 10,000 IDs or 1,000 rows.
const MOST_BYTES: usize = 4 * 1024 * 1024;

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
    pub fn store(&self) -> Option<&str> {
        self.store.as_deref()
    }

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
        let options = Options { allow_unsafe, ..Options::default() };
        let store = place(&named, by)?.open(None, Arc::new(SystemClock), &options);
        let store = store.map_err(Problem::from)?;
        Ok(Client::within(Arc::new(store))?)
    }
}

/// A client of a running server: the named one, or that of the environment.
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

pub fn is_server(named: &str) -> bool {
    named.starts_with("http://") || named.starts_with("https://")
}

fn http(
    by: &str,
    named: &str,
    patience: Duration,
    credentials: &Credentials,
) -> Result<Client, Failure> {
    let base = base(named).map_err(|takes| {
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

/// A server's base URL without a slash at its end, or an example of one. The port defaults to the scheme's;
/// a path before the API's is kept.
fn base(text: &str) -> Result<String, &'static str> {
    const FORM: &str = "http://HOST:PORT";
    let uri: Uri = text.parse().map_err(|_| FORM)?;
    let at = uri.authority().filter(|_| is_server(text) && uri.query().is_none()).ok_or(FORM)?;
    let (host, port) = (at.host(), at.as_str().strip_prefix(at.host()).ok_or(FORM)?);
    let v6 = host.strip_prefix('[').map(|rest| rest.trim_end_matches(']').parse::<Ipv6Addr>());
    if host.is_empty() || text.contains(['#', '\\']) || matches!(v6, Some(Err(_))) {
        return Err(FORM);
    }
    // `parse` accepts `+1` and 0.
    let is_port = |number: u16| number > 0 && port == format!(":{number}");
    match port.is_empty() || at.port_u16().is_some_and(is_port) {
        true => Ok(text.strip_suffix('/').unwrap_or(text).to_owned()),
        false => Err("http://HOST:PORT with a port from 1 to 65535"),
    }
}

pub enum Client {
    Http { base: String, agent: ureq::Agent, token: Option<String> },
    Local { runtime: Runtime, entry: Box<Entry> },
}

impl Client {
    /// A client of an open store, without a listener.
    pub fn within(store: Arc<Registry>) -> Result<Client, Problem> {
        let entry = Box::new(Entry::local(App::new(&Config::default(), store)?));
        Ok(Client::Local { runtime: runtime()?, entry })
    }

    pub fn get(&self, path: &str) -> Result<Value, Problem> {
        self.send("GET", path, String::new(), None)
    }

    /// Creates it; refused if it is there.
    pub fn create(&self, path: &str, body: String) -> Result<Value, Problem> {
        self.send("PUT", path, body, Some(IF_NONE_MATCH))
    }

    /// Changes it; refused if it is not there, so that a misspelt name creates nothing.
    pub fn change(&self, path: &str, body: String) -> Result<Value, Problem> {
        self.send("PUT", path, body, Some(IF_MATCH))
    }

    pub fn call(&self, method: &str, path: &str, body: String) -> Result<Value, Problem> {
        self.send(method, path, body, None)
    }

    /// Sends a request with this condition in a header.
    fn send(
        &self,
        method: &str,
        path: &str,
        body: String,
        only: Option<HeaderName>,
    ) -> Result<Value, Problem> {
        let (base, token) = match self {
            Client::Http { base, token, .. } => (base.as_str(), token.as_ref()),
            Client::Local { .. } => ("", None),
        };
        let url = format!("{base}{path}");
        let host = base.is_empty().then(|| (HOST, "localhost".to_owned()));
        let kind = (method != "GET").then(|| (CONTENT_TYPE, "application/json".to_owned()));
        let token = token.map(|token| (AUTHORIZATION, format!("Bearer {token}")));
        let only = only.map(|only| (only, "*".to_owned()));
        let headers = [host, kind, token, only].into_iter().flatten();
        let request = Request::builder().method(method).uri(&url);
        let request = headers.fold(request, |request, (name, value)| request.header(name, value));
        let request = request.body(body).map_err(|error| {
            let detail = format!("`{}` cannot be asked for: {error}", shown(&url));
            invalid(detail)
        })?;
        let response = match self {
            Client::Http { agent, .. } => over_http(agent, base, request)?,
            Client::Local { runtime, entry } => runtime.block_on(within(entry, request))?,
        };
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let (content_type, body) = (kind.unwrap_or_default(), response.body());
        let status = response.status().as_u16();
        let answer = Answer { url: &url, status, content_type, retry_after: None, body };
        Ok(Value::Object(answer.object()?))
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
            let mut answer = self.get(&format!("{path}?limit=1000&after={after}"))?;
            match answer[field].take() {
                Value::Array(more) if !more.is_empty() => rows.extend(more),
                _ => return Ok(rows),
            }
        }
    }
}

/// Releases the windows that the verb holds.
impl Drop for Client {
    fn drop(&mut self) {
        if let Client::Local { runtime, entry } = self {
            runtime.block_on(entry.app.generators.close());
        }
    }
}

fn over_http(
    agent: &ureq::Agent,
    base: &str,
    request: Request<String>,
) -> Result<Response<Vec<u8>>, Problem> {
    let answered = agent.run(request).and_then(|response| {
        let (head, mut body) = response.into_parts();
        let body = body.with_config().limit(MOST_BYTES as u64).read_to_vec()?;
        Ok(Response::from_parts(head, body))
    });
    answered.map_err(|error| {
        let error = error.to_string();
        let advice = advice(&error);
        Problem::unavailable(format!("no answer from `{base}`: {error}; {advice}"))
    })
}

async fn within(entry: &Entry, request: Request<String>) -> Result<Response<Vec<u8>>, Problem> {
    let (head, body) = entry.answer(request.map(Body::from), None).await.into_parts();
    let body = to_bytes(body, MOST_BYTES).await.map_err(|error| {
        Problem::new(Code::Internal, format!("the answer cannot be read: {error}"))
    })?;
    Ok(Response::from_parts(head, body.to_vec()))
}

fn advice(error: &str) -> &'static str {
    match error {
        error if error.contains("NotValidForName") || error.contains("not valid for name") => {
            "use a host name that the server's certificate has"
        }
        error if error.contains("peer certificate") => {
            "name the certificate of the authority that signed the server's: --ca FILE"
        }
        // The answer was a TLS record.
        error if error.contains("invalid HTTP version") => "if it speaks TLS, write https://",
        error if error.contains("InvalidContentType") => "if it speaks plain HTTP, write http://",
        _ => "is it running? start it with: leafid serve",
    }
}

#[cfg(test)]
mod tests {
    use super::base;

    #[test]
    fn an_address_is_taken_whole_or_not_at_all() {
        for (text, taken) in [
            ("http://127.0.0.1:8750", "http://127.0.0.1:8750"),
            ("http://127.0.0.1:8750/", "http://127.0.0.1:8750"),
            ("http://ids.example/leafid", "http://ids.example/leafid"),
            ("http://[::1]:65535", "http://[::1]:65535"),
            ("http://[::1]", "http://[::1]"),
            ("https://ids.example/", "https://ids.example"),
        ] {
            assert_eq!(base(text).as_deref(), Ok(taken), "{text}");
        }
        let wrong = "127.0.0.1:8750 ftp://h:1 https:/h:1 http:// http://:1 http:///v1 http://h: http://h:/ \
                     http://h:0 http://h:99999 http://h:+1 http://h:-1 http://h:abc http://h:1:2 http://[::1 \
                     http://[::1]8750 http://[h]:1 http://u@h:1 http://h:1?x http://h:1#x";
        for wrong in wrong.split(' ').filter(|word| !word.is_empty()).chain(["http://h :1"]) {
            assert!(base(wrong).is_err(), "{wrong}");
        }
    }
}

//! The store over HTTP: asks out, answers in, on connections of its own.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Ask, Code, Fields, Grant, Release, SegmentGrant, WindowGrant};
use serde_json::{Map, Value};
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body};

use crate::client::Failed;
use crate::client::stores::Transport;
use crate::client::stores::json::{Reading, Writing};

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// The longest answer that is read.
const LONGEST: u64 = 64 * 1024;

/// Where a server is, and who asks.
pub struct Http {
    url: String,
    token: Option<String>,
}

impl Http {
    /// The server behind a URL.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but an `http://` or `https://` URL.
    pub fn new(url: &str, token: Option<String>) -> Result<Http, Failed> {
        let wrong = |why: &str| {
            let message =
                format!("`{url}` {why}: the URL of a store is like `http://127.0.0.1:8750`");
            Failed::new(Code::RequestInvalid, message)
        };
        let uri = Uri::try_from(url).map_err(|_| wrong("is not a URL"))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") if cfg!(feature = "tls") => {}
            Some("https") => return Err(wrong("needs TLS, which this build does not have")),
            _ => return Err(wrong("begins with neither `http://` nor `https://`")),
        }
        if uri.host().is_none_or(str::is_empty) {
            return Err(wrong("has no host"));
        }
        if uri.query().is_some() {
            return Err(wrong("has a query, which no store takes"));
        }
        if !has_good_port(&uri) {
            return Err(wrong("has a port outside 1 to 65535"));
        }
        if token.as_ref().is_some_and(|token| !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            let message = "`token` must have printable ASCII characters only, without spaces";
            return Err(Failed::new(Code::RequestInvalid, message));
        }
        Ok(Http { url: url.trim_end_matches('/').to_owned(), token })
    }

    /// Where it is, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Connections of one's own.
    pub fn connect(self: &Arc<Self>) -> Connection {
        Connection { http: Arc::clone(self), agent: agent() }
    }
}

/// Whether the port, if there is one, is valid. Otherwise it would be ignored, and the scheme's own
/// port asked: perhaps another store.
fn has_good_port(uri: &Uri) -> bool {
    let host_and_port = uri.authority().map_or("", |authority| {
        authority.as_str().rsplit_once('@').map_or(authority.as_str(), |(_, after)| after)
    });
    let after_host = host_and_port.rsplit_once(']').map_or(host_and_port, |(_, after)| after);
    match after_host.rsplit_once(':') {
        Some((_, port)) => {
            port.bytes().all(|digit| digit.is_ascii_digit()) && uri.port_u16() > Some(0)
        }
        None => true,
    }
}

/// No proxies and no redirects: an answer that was meant for somebody else is a failure.
fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_global(Some(PATIENCE))
        .user_agent(concat!("leafid-python/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

/// A server, and the connections to it.
pub struct Connection {
    http: Arc<Http>,
    agent: Agent,
}

impl Transport for Connection {
    fn ask(&mut self, ask: &Ask) -> Result<Grant, Failed> {
        let mut body = Writing::default();
        let path = match ask {
            Ask::Segment(ask) => {
                ask.put(&mut body);
                format!("/v1/segments/{}/lease", ask.tag)
            }
            Ask::Acquire(ask) => {
                ask.put(&mut body);
                format!("/v1/workers/{}/acquire", ask.namespace)
            }
            Ask::Renew(ask) => {
                ask.put(&mut body);
                format!("/v1/workers/{}/renew", ask.namespace)
            }
        };
        let mut answer = Reading::new(self.post(&path, body)?);
        let grant = match ask {
            Ask::Segment(_) => SegmentGrant::get(&mut answer).map(Grant::Segment),
            Ask::Acquire(_) | Ask::Renew(_) => WindowGrant::get(&mut answer).map(Grant::Window),
        };
        grant.map_err(|_| {
            let (url, field) = (&self.http.url, answer.field);
            Failed::no_grant(format!("`{url}{path}` answered without a usable `{field}`"))
        })
    }

    fn release(&mut self, release: &Release) {
        let mut body = Writing::default();
        release.put(&mut body);
        // A closing holder has nothing to do about a release that failed.
        let _ = self.post(&format!("/v1/workers/{}/release", release.namespace), body);
    }

    fn reconnect(&mut self) {
        // What a restored image inherited is neither used nor shut down.
        std::mem::forget(std::mem::replace(&mut self.agent, agent()));
    }
}

impl Connection {
    /// The object that the server answers with.
    fn post(&self, path: &str, mut body: Writing) -> Result<Map<String, Value>, Failed> {
        // They stand in the path.
        body.0.remove("tag");
        body.0.remove("namespace");
        let url = format!("{}{path}", self.http.url);
        let mut request = self
            .agent
            .post(&url)
            .header("content-type", "application/json")
            .header("accept", "application/json, application/problem+json");
        if let Some(token) = &self.http.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let unanswered = |error: ureq::Error| {
            let message = format!("no answer from `{url}`: {error}; is the store running?");
            Failed::new(Code::StoreUnavailable, message)
        };
        let mut response = request.send(Value::Object(body.0).to_string()).map_err(unanswered)?;
        let text = read(&mut response).map_err(unanswered)?;
        let object = match serde_json::from_slice(&text) {
            Ok(Value::Object(object)) if is_json(&response) => Some(object),
            _ => None,
        };
        match (response.status(), object) {
            (StatusCode::OK, Some(object)) => Ok(object),
            (status, object) => Err(problem(&url, status, &response, object)),
        }
    }
}

fn read(response: &mut Response<Body>) -> Result<Vec<u8>, ureq::Error> {
    match response.body_mut().with_config().limit(LONGEST).read_to_vec() {
        // It was an answer, though none that is of use.
        Err(ureq::Error::BodyExceedsLimit(_)) => Ok(Vec::new()),
        read => read,
    }
}

fn kind(response: &Response<Body>) -> &str {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.unwrap_or("").split(';').next().unwrap_or("").trim()
}

fn is_json(response: &Response<Body>) -> bool {
    let kind = kind(response).to_ascii_lowercase();
    kind == "application/json" || kind == "application/problem+json"
}

/// Why an answer is no success: the store's own words where there are some.
fn problem(
    url: &str,
    status: StatusCode,
    response: &Response<Body>,
    object: Option<Map<String, Value>>,
) -> Failed {
    let object = object.unwrap_or_default();
    let text = |field: &str| object.get(field).and_then(Value::as_str);
    // Codes that exist inside a host only are no store's to give.
    let code = text("code").and_then(Code::parse).filter(|code| code.http_status().is_some());
    let retry_after_ms = match object.get("retry_after_ms").and_then(Value::as_u64) {
        Some(ms) => u32::try_from(ms).ok(),
        None => retry_after(response),
    };
    let Some(code) = code.filter(|_| !status.is_success()) else {
        let kind = Some(kind(response)).filter(|kind| !kind.is_empty()).unwrap_or("nothing");
        let message = format!(
            "`{url}` answered {} with `{kind}` instead of a store's JSON; is it a leafid store?",
            status.as_u16(),
        );
        return Failed { retry_after_ms, ..Failed::new(Code::from_http(status.as_u16()), message) };
    };
    let detail = text("detail").or(text("title")).unwrap_or(code.advice());
    let until_ms = object.get("free_at_ms").and_then(Value::as_i64);
    Failed { until_ms, retry_after_ms, says_when: true, ..Failed::new(code, detail) }
}

fn retry_after(response: &Response<Body>) -> Option<u32> {
    let seconds: u32 = response.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    seconds.checked_mul(1_000)
}

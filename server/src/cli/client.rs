//! How a verb reaches the store: over HTTP, or, when no server runs, in the file itself, through
//! the same paths.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use leafid_core::Code;
use serde_json::Value;
use tower::ServiceExt;

use super::Failure;
use super::args::Args;
use crate::clock::SystemClock;
use crate::json::shown;
use crate::problem::Problem;
use crate::routes;
use crate::state::{App, Config};
use crate::store::SharedStore;
use crate::stores::sqlite::{Options, SqliteStore};

const DEFAULT_URL: &str = "http://127.0.0.1:8750";
/// An answer is at most so large: 10,000 IDs, or 1,000 rows.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Which store a verb speaks to.
#[derive(Debug, Default)]
pub struct Target {
    named: Option<String>,
}

impl Target {
    /// Takes `--url` and `--store`; says whether the flag was one of them.
    pub fn take(&mut self, flag: &str, args: &mut Args) -> Result<bool, Failure> {
        if !matches!(flag, "url" | "store") {
            return Ok(false);
        }
        self.named = Some(args.value()?);
        Ok(true)
    }

    /// Opens the road to it.
    pub fn connect(self) -> Result<Client, Problem> {
        let by_default =
            || std::env::var("LEAFID_STORE").unwrap_or_else(|_| DEFAULT_URL.to_owned());
        let named = self.named.unwrap_or_else(by_default);
        if let Some(url) = named.strip_suffix('/').unwrap_or(&named).strip_prefix("http://") {
            let agent = ureq::Agent::config_builder()
                .http_status_as_error(false)
                .timeout_global(Some(Duration::from_secs(30)))
                .proxy(None)
                .build()
                .new_agent();
            return Ok(Client::Http { base: format!("http://{url}"), agent });
        }
        let store: SharedStore = Arc::new(open(&named, Options::default())?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
        let app = App::new(&Config::default(), store)?;
        Ok(Client::Local { runtime, app })
    }
}

/// Opens the store that `sqlite:PATH` names.
pub fn open(named: &str, options: Options) -> Result<SqliteStore, Problem> {
    let path = named.strip_prefix("sqlite:").filter(|path| !path.is_empty());
    let Some(path) = path.filter(|path| !path.starts_with(':')) else {
        let detail = format!(
            "`{}` is no store for this; name `sqlite:PATH`, or `http://HOST:PORT` of a server",
            shown(named)
        );
        return Err(Problem::new(Code::RequestInvalid, detail));
    };
    SqliteStore::open(Path::new(path), Arc::new(SystemClock), options)
}

/// A road to a store.
pub enum Client {
    /// A server.
    Http {
        /// Its address, without a slash at the end.
        base: String,
        /// What keeps connections.
        agent: ureq::Agent,
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
    /// One request; a body makes it JSON. `only_create` adds `If-None-Match: *`.
    pub fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
        only_create: bool,
    ) -> Result<Value, Problem> {
        let (status, answer) = match self {
            Client::Http { base, agent } => {
                let request =
                    build(method, &format!("{base}{path}"), body.unwrap_or_default(), only_create)?;
                let answered = agent.run(request).and_then(|mut response| {
                    let status = response.status().as_u16();
                    let body = response.body_mut().with_config().limit(MOST_BYTES as u64);
                    Ok((status, body.read_to_vec()?))
                });
                answered.map_err(|error| {
                    Problem::unavailable(format!(
                        "no answer from `{base}`: {error}; start it: leafid serve"
                    ))
                })?
            }
            Client::Local { runtime, app } => {
                let request =
                    build(method, path, Body::from(body.unwrap_or_default()), only_create)?;
                let router = routes::router(Arc::clone(app));
                runtime.block_on(async move {
                    let Ok(response) = router.oneshot(request).await;
                    let status = response.status().as_u16();
                    let body = to_bytes(response.into_body(), MOST_BYTES).await;
                    let body = body.map_err(|error| {
                        Problem::new(Code::Internal, format!("the answer cannot be read: {error}"))
                    })?;
                    Ok::<_, Problem>((status, body.to_vec()))
                })?
            }
        };
        read(status, &answer)
    }

    /// All rows of a list, page by page; `key` is the field that names a row.
    pub fn list(&self, path: &str, field: &str, key: &str) -> Result<Vec<Value>, Problem> {
        let mut rows: Vec<Value> = Vec::new();
        loop {
            let after = rows.last().and_then(|row| row[key].as_str()).unwrap_or("");
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
    only_create: bool,
) -> Result<ureq::http::Request<B>, Problem> {
    let mut request = ureq::http::Request::builder().method(method).uri(uri);
    if uri.starts_with('/') {
        request = request.header("host", "localhost");
    }
    if method != "GET" {
        request = request.header("content-type", "application/json");
    }
    if only_create {
        request = request.header("if-none-match", "*");
    }
    request.body(body).map_err(|error| {
        let detail = format!("`{}` cannot be asked for: {error}", shown(uri));
        Problem::new(Code::RequestInvalid, detail)
    })
}

/// An answer, or the problem that it carries.
fn read(status: u16, answer: &[u8]) -> Result<Value, Problem> {
    let value: Value = serde_json::from_slice(answer).unwrap_or(Value::Null);
    if (200..300).contains(&status) && value.is_object() {
        return Ok(value);
    }
    let code = value["code"].as_str().and_then(Code::parse);
    match (code, value["detail"].as_str()) {
        (Some(code), Some(detail)) => Err(Problem::new(code, detail)),
        _ => Err(Problem::unavailable(format!(
            "the answer (HTTP {status}) is none of leafid's: `{}`",
            shown(&String::from_utf8_lossy(answer))
        ))),
    }
}

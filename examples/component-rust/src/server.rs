//! A `leafid serve` of this program's own, and the store of the component over its HTTP.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Map, Value, json};
use ureq::Agent;

use crate::Outcome;
use crate::bindings::leafid::generator::store;
use crate::bindings::leafid::generator::types::{
    AcquireAsk, Code, Failure, Layout, Range, Release, RenewAsk, SegmentAsk, SegmentGrant, Token,
    WindowGrant,
};
use crate::host::Host;

/// A server in a folder of its own, ended with this value.
pub struct Server {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Server {
    /// Starts it on a free port.
    pub fn start(binary: &Path) -> Outcome<Self> {
        let folder = std::env::temp_dir().join(format!("leafid-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let store = format!("sqlite:{}", folder.join("leafid.db").display());
        let mut child = Command::new(binary)
            .args(["serve", "--create", "--store", &store, "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let told = lines.map_while(Result::ok).find_map(|line| {
            let from = line.find("http://")?;
            line[from..].split_whitespace().next().map(str::to_owned)
        });
        Ok(Self { child, folder, url: told.ok_or("the server did not start")? })
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Creates a tag with the defaults.
    pub fn create_tag(&self, name: &str) -> Outcome {
        Client::new(&self.url)
            .agent
            .put(format!("{}/v1/tags/{name}", self.url))
            .send_json(json!({}))?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// HTTP to a store.
pub struct Client {
    agent: Agent,
    url: String,
}

impl Client {
    /// A client of the store at this address.
    pub fn new(url: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).build();
        Self { agent: config.into(), url: url.to_owned() }
    }

    /// A request of docs/API.md. What is absent is left out.
    fn post(&self, path: &str, body: Value) -> Result<Value, Failure> {
        let given = body.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let body: Map<_, _> = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        let unavailable = |_| failure(Code::StoreUnavailable);
        let sent = self.agent.post(format!("{}/v1/{path}", self.url)).send_json(body);
        let mut answer = sent.map_err(unavailable)?;
        let status = answer.status();
        let body = answer.body_mut().read_json::<Value>().map_err(unavailable)?;
        if status.is_success() {
            return Ok(body);
        }
        let retry = body["retry_after_ms"].as_u64().and_then(|ms| ms.try_into().ok());
        Err(Failure { code: code(body["code"].as_str()), retry_after_ms: retry })
    }
}

impl store::Host for Host {
    fn lease_segment(&mut self, ask: SegmentAsk) -> Result<SegmentGrant, Failure> {
        let body = json!({
            "request": hex(ask.request), "store": ask.store.map(hex), "step": ask.step,
            "at_least": ask.at_least, "have_until": ask.have_until.map(|end| end.to_string()),
        });
        let answer = self.store.post(&format!("segments/{}/lease", ask.tag), body)?;
        Ok(SegmentGrant {
            request: token(&answer["request"])?,
            store: token(&answer["store"])?,
            tag: answer["tag"].as_str().unwrap_or_default().to_owned(),
            range: range(&answer)?,
            step: number(&answer["step"])?,
            max_step: number(&answer["max_step"])?,
            remaining: big(&answer["remaining"])?,
            now: number(&answer["now_ms"])?,
        })
    }

    fn acquire(&mut self, ask: AcquireAsk) -> Result<WindowGrant, Failure> {
        let body = json!({
            "request": hex(ask.request), "store": ask.store.map(hex), "owner": ask.owner,
            "length_ms": ask.length_ms, "sticky": ask.sticky, "strict": ask.strict,
            "layout": ask.layout.map(|layout| json!({
                "epoch_ms": layout.epoch_ms, "tick_ms": layout.tick_ms,
                "time_bits": layout.time_bits, "worker_bits": layout.worker_bits,
                "sequence_bits": layout.sequence_bits,
            })),
        });
        window(&self.store.post(&format!("workers/{}/acquire", ask.namespace), body)?)
    }

    fn renew(&mut self, ask: RenewAsk) -> Result<WindowGrant, Failure> {
        let body = json!({
            "request": hex(ask.request), "store": hex(ask.store), "worker": ask.worker,
            "key": hex(ask.key), "have_until": ask.have_until.to_string(),
            "length_ms": ask.length_ms,
        });
        window(&self.store.post(&format!("workers/{}/renew", ask.namespace), body)?)
    }

    fn give_back(&mut self, release: Release) -> Result<(), Failure> {
        let body = json!({
            "store": hex(release.store), "worker": release.worker, "key": hex(release.key),
            "unused_from": release.unused_from.to_string(),
        });
        self.store.post(&format!("workers/{}/release", release.namespace), body).map(|_| ())
    }
}

fn window(answer: &Value) -> Result<WindowGrant, Failure> {
    let layout = &answer["layout"];
    Ok(WindowGrant {
        request: token(&answer["request"])?,
        store: token(&answer["store"])?,
        worker: number(&answer["worker"])?,
        ticks: range(answer)?,
        layout: Layout {
            epoch_ms: number(&layout["epoch_ms"])?,
            tick_ms: number(&layout["tick_ms"])?,
            time_bits: number(&layout["time_bits"])?,
            worker_bits: number(&layout["worker_bits"])?,
            sequence_bits: number(&layout["sequence_bits"])?,
        },
        now: number(&answer["now_ms"])?,
        max_window_ms: number(&answer["max_window_ms"])?,
    })
}

fn hex((high, low): Token) -> String {
    format!("{high:016x}{low:016x}")
}

fn token(text: &Value) -> Result<Token, Failure> {
    let halves = text.as_str().and_then(|text| text.split_at_checked(16));
    let half = |text| u64::from_str_radix(text, 16).ok();
    let read = halves.and_then(|(high, low)| Some((half(high)?, half(low)?)));
    read.ok_or(failure(Code::GrantInvalid))
}

fn range(answer: &Value) -> Result<Range, Failure> {
    Ok(Range { start: big(&answer["start"])?, end: big(&answer["end"])? })
}

fn big(text: &Value) -> Result<u64, Failure> {
    text.as_str().and_then(|text| text.parse().ok()).ok_or(failure(Code::GrantInvalid))
}

fn number<N: TryFrom<i64>>(number: &Value) -> Result<N, Failure> {
    let read = number.as_i64().and_then(|number| number.try_into().ok());
    read.ok_or(failure(Code::GrantInvalid))
}

/// The codes that this program tells apart; the component has the whole table (`codes`).
fn code(name: Option<&str>) -> Code {
    match name {
        Some("TAG_UNKNOWN") => Code::TagUnknown,
        Some("NAMESPACE_UNKNOWN") => Code::NamespaceUnknown,
        Some("LAYOUT_MISMATCH") => Code::LayoutMismatch,
        Some("LEASE_LOST") => Code::LeaseLost,
        Some("STORE_CHANGED") => Code::StoreChanged,
        Some("STORE_WENT_BACK") => Code::StoreWentBack,
        Some("TAG_SPENT") => Code::TagSpent,
        Some("WORKERS_EXHAUSTED") => Code::WorkersExhausted,
        Some("OVERLOADED") => Code::Overloaded,
        _ => Code::StoreUnavailable,
    }
}

fn failure(code: Code) -> Failure {
    Failure { code, retry_after_ms: None }
}

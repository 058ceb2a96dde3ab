//! HTTP to a store.

use serde_json::{Map, Value};
use ureq::Agent;

use crate::Outcome;
use crate::bindings::leafid::generator::types::{Code, Failure};

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

    /// Makes something of docs/API.md.
    pub fn put(&self, path: &str, body: Value) -> Outcome {
        self.agent.put(format!("{}/v1/{path}", self.url)).send_json(body)?;
        Ok(())
    }

    /// A request of docs/API.md. What is absent is left out.
    pub fn post(&self, path: &str, body: Value) -> Result<Value, Failure> {
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

/// A failure without a time to wait for.
pub fn failure(code: Code) -> Failure {
    Failure { code, retry_after_ms: None }
}

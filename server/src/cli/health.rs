//! `leafid health`: readiness of a server, as an exit code.

use std::time::Duration;

use clap::Args;
use leafid_core::{Code, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::utc;
use leafid_wire::path;
use serde_json::Value;

use super::Failure;
use super::client::server;
use super::credentials::Credentials;
use super::output::show;

/// How long an answer may take: a server that cannot write answers so after 2 s.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Args, Debug)]
pub struct Health {
    /// The server to ask [default: LEAFID_STORE if it is an http address, else the address in
    /// LEAFID_LISTEN, else http://127.0.0.1:8750]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

impl Health {
    pub fn run(self) -> Result<(), Failure> {
        let client = server(self.url, PATIENCE, &self.credentials)?;
        let ready = client.get(path::READYZ)?;
        let text = |field: &str| ready[field].as_str().unwrap_or("?");
        let status = text("status");
        let lines: Vec<String> =
            ready["went_back"].as_array().into_iter().flatten().map(line).collect();
        let line = match status {
            "ok" | "degraded" if ready.as_object().is_some_and(|fields| fields.len() == 1) => {
                format!("{status}: the server tells more to a valid token")
            }
            "ok" => format!("ok: store id {}{}", text("store"), fenced(&ready)),
            // The other tags are sound, and a restart would cure nothing.
            "degraded" if !lines.is_empty() => format!(
                "degraded: leases are granted, but none of {}; move each above its largest number in \
                 use: leafid tag advance TAG --to N",
                lines.join(", nor of ")
            ),
            _ => {
                let detail = format!("unexpected status `{status}`: is this a leafid server?");
                return Err(Problem::new(Code::GrantInvalid, detail).into());
            }
        };
        show(&ready, line)
    }
}

/// A note while a fence keeps windows from beginning.
fn fenced(ready: &Value) -> String {
    let until = ready["fenced_until_ms"].as_i64();
    until.map(StoreTime::new).map_or_else(String::new, |until| {
        let until = utc::text(until);
        format!("; fenced, as it had lost grants: no window begins before {until}")
    })
}

fn line(line: &Value) -> String {
    let text = |field: &str| line[field].as_str().unwrap_or("?");
    let (tag, max_id, claimed) = (text("tag"), text("max_id"), text("claimed_until"));
    format!("tag `{tag}`, which stands at {max_id} where a holder has numbers up to {claimed}")
}

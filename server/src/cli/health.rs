//! `leafid health`: whether a server can serve, as an exit code.

use std::time::Duration;

use clap::Args;
use leafid_core::{Code, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::store::parted::Kept;
use leafid_store::utc;
use leafid_wire::path;
use serde_json::Value;

use super::client::server;
use super::credentials::Credentials;
use super::output::is_json;
use super::{Failure, say};

/// How long an answer may take: a server that cannot write says so after 2 s.
const PATIENCE: Duration = Duration::from_secs(5);

const KINDS: [Kept; 2] = [Kept::Tags, Kept::Workers];

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
    /// Asks once: exit code 0 where leases can be had, else 1 with the reason.
    pub fn run(self) -> Result<(), Failure> {
        let client = server(self.url, PATIENCE, &self.credentials)?;
        let ready = client.call("GET", path::READYZ, None, false)?;
        let known = matches!(ready["status"].as_str(), Some("ok" | "degraded"));
        if is_json() && known {
            return say(ready);
        }
        if known && ready.as_object().is_some_and(|fields| fields.len() == 1) {
            let status = ready["status"].as_str().unwrap_or_default();
            return say(format_args!("{status}: the server tells more to a valid token"));
        }
        let lines: Vec<String> =
            ready["went_back"].as_array().into_iter().flatten().map(line).collect();
        let away: Vec<String> = KINDS.into_iter().filter_map(|kept| away(&ready, kept)).collect();
        match (ready["status"].as_str().unwrap_or("?"), lines.is_empty()) {
            ("ok", _) => say(format_args!("ok: {}{}", ids(&ready), fenced(&ready))),
            // Others are sound, and a restart cures nothing.
            ("degraded", _) if !away.is_empty() => {
                say(format_args!("degraded: {}", away.join("; ")))
            }
            ("degraded", false) => say(format_args!(
                "degraded: leases are granted, but none of {}; move each above its largest number in \
                 use: leafid tag advance TAG --to N",
                lines.join(", nor of ")
            )),
            (status, _) => {
                let detail = format!("unexpected status `{status}`: is this a leafid server?");
                Err(Problem::new(Code::GrantInvalid, detail).into())
            }
        }
    }
}

/// The id of the store, or of each of two.
fn ids(ready: &Value) -> String {
    if let Some(id) = ready["store"].as_str() {
        return format!("store id {id}");
    }
    let id = |kept: Kept| ready[kept.name()]["store"].as_str().unwrap_or("?");
    KINDS.map(|kept| format!("store id {} for {}", id(kept), kept.words())).join(", ")
}

/// That a fence keeps windows from beginning, while it does.
fn fenced(ready: &Value) -> String {
    let parts = std::iter::once(ready).chain(KINDS.map(|kept| &ready[kept.name()]));
    let until = parts.filter_map(|part| part["fenced_until_ms"].as_i64()).max();
    until.map(StoreTime::new).map_or_else(String::new, |until| {
        let until = utc::text(until);
        format!("; fenced, as it had lost grants: no window begins before {until}")
    })
}

/// Why one of two stores grants nothing.
fn away(ready: &Value, kept: Kept) -> Option<String> {
    let part = &ready[kept.name()];
    let text = |field: &str| part[field].as_str().unwrap_or("?");
    let told = || format!("{}: {}", text("code"), text("detail"));
    (part["status"] == "unavailable")
        .then(|| format!("no {} are granted: {}", kept.words(), told()))
}

fn line(line: &Value) -> String {
    let text = |field: &str| line[field].as_str().unwrap_or("?");
    let (tag, max_id, claimed) = (text("tag"), text("max_id"), text("claimed_until"));
    format!("tag `{tag}`, which stands at {max_id} where a holder has numbers up to {claimed}")
}

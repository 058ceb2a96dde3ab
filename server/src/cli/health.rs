//! `leafid health`: whether a server can serve, as an exit code.

use std::time::Duration;

use clap::Args;
use leafid_core::Code;
use leafid_wire::path;
use serde_json::Value;

use super::client::server;
use super::{Failure, say};
use crate::problem::Problem;

/// So long an answer may take: a server that cannot write says so after 2 s.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Args, Debug)]
pub struct Health {
    /// The server to ask [default: LEAFID_STORE if it is an http address, else the address in
    /// LEAFID_LISTEN, else http://127.0.0.1:8750]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

impl Health {
    /// Asks once: exit code 0 where leases can be had, else 1 with the reason.
    pub fn run(self) -> Result<(), Failure> {
        let client = server(self.url, PATIENCE)?;
        let ready = client.call("GET", path::READYZ, None, false)?;
        let lines: Vec<String> =
            ready["went_back"].as_array().into_iter().flatten().map(line).collect();
        let text = |field: &str| ready[field].as_str().unwrap_or("?");
        match (text("status"), lines.is_empty()) {
            ("ok", _) => say(format_args!("ok: store id {}", text("store"))),
            // Others are sound, and a restart cures nothing.
            ("degraded", false) => say(format_args!(
                "degraded: leases are granted, but holders have more than the store knows of {}; \
                 move each past that before anything is leased from it",
                lines.join(" and of ")
            )),
            (status, _) => {
                let detail = format!("unexpected status `{status}`: is this a leafid server?");
                Err(Problem::new(Code::GrantInvalid, detail).into())
            }
        }
    }
}

fn line(line: &Value) -> String {
    let end = |field: &str| line[field].as_str().map(str::to_owned);
    let stands_at = end("max_id").or_else(|| end("reserved_until")).unwrap_or_default();
    let what = match line["tag"].as_str() {
        Some(tag) => format!("tag `{tag}`"),
        None => format!(
            "worker {} of namespace `{}`",
            line["worker"],
            line["namespace"].as_str().unwrap_or("?")
        ),
    };
    format!("{what} ({} instead of {stands_at})", end("have_until").unwrap_or_default())
}

//! The cost of one request to the central store, beside a bare handler of the same framework in the same
//! run: each server with its own file, on one core; the clients on the other.
//!
//! `served PATH-TO-LEAFID`; `cargo xtask bench --only store` runs it with the published binary.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use leafid_benches::connection::{Asked, round};
use leafid_benches::rounds::{in_turns, row};
use leafid_benches::server::{Server, serve_bare};
use leafid_benches::{Outcome, cpu, program};
use serde_json::{Value, json};

/// The clients, each with its own connection.
const CLIENTS: usize = 32;
const LENGTH: Duration = Duration::from_secs(3);

/// A kind of request: its name, its server, and what is asked.
type Kind<'a> = (&'a str, &'a Server, Asked);

fn main() -> ExitCode {
    program("served", |words| match words {
        ["--bare"] => {
            let last = Arc::new(AtomicU64::new(1_000_000));
            let routes = Router::new().route("/ids", post(ids)).route("/id", get(id));
            serve_bare(routes.with_state(last))
        }
        [binary] => measure(Path::new(binary)),
        _ => Err("`served PATH-TO-LEAFID`".to_owned()),
    })
}

/// The floor: reads and answers JSON, and stores nothing.
async fn ids(body: Bytes) -> impl IntoResponse {
    let asked: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let Some(count) = asked["count"].as_u64().filter(|count| *count <= 10) else {
        return (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, ""), (CACHE_CONTROL, "")], Vec::new());
    };
    let ids: Vec<String> = (0..count).map(|id| (1_000_000 + id).to_string()).collect();
    let answer = json!({ "ids": ids }).to_string().into_bytes();
    let head = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (StatusCode::OK, head, answer)
}

/// The floor of Leaf's paths: a counter as text.
async fn id(State(last): State<Arc<AtomicU64>>) -> String {
    last.fetch_add(1, Ordering::Relaxed).to_string()
}

fn measure(binary: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (bare, store, leaf) = cpu::beside(|| {
        let store = Server::leafid(binary, &folder.path().join("store"), false)?;
        let leaf = Server::leafid(binary, &folder.path().join("leaf"), true)?;
        Ok((Server::bare()?, store, leaf))
    })?;
    show(
        "the store",
        &[
            ("a bare axum handler (the floor)", &bare, Asked::Bare),
            ("`POST /v1/segments/{tag}/ids`, one ID", &store, Asked::Ids),
            ("`POST /v1/segments/{tag}/lease`, durable", &store, Asked::Lease),
        ],
    )?;
    let leases = store.metric("leafid_leases_total")?;
    let waited = leases - store.metric("leafid_leases_from_memory_total")?;
    println!("\n{:.3} % of {leases} leases waited for the disk", waited / leases * 100.0);
    let (segment, snowflake) = ("/api/segment/get/bench", "/api/snowflake/get/bench");
    show(
        "Leaf's paths",
        &[
            ("a bare axum handler, an atomic as text (the floor)", &bare, Asked::Text("/id")),
            ("`GET /api/segment/get/{key}`", &leaf, Asked::Text(segment)),
            ("`GET /api/snowflake/get/{key}`", &leaf, Asked::Text(snowflake)),
        ],
    )
}

/// Measures kinds of requests in turns, and prints them beside the first.
fn show(title: &str, kinds: &[Kind<'_>]) -> Outcome {
    let rounds = in_turns(kinds, |(_, server, asked)| round(server, *asked, CLIENTS, LENGTH))?;
    println!(
        "\n| {title}, {CLIENTS} connections that are kept | CPU µs | × floor |\n|---|---|---|"
    );
    for ((name, ..), own) in kinds.iter().zip(&rounds) {
        row(name, own, &rounds[0]);
    }
    Ok(())
}

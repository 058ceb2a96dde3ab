//! What one request costs the central store, beside a bare handler of the same framework in the same
//! run: `leafid serve` on a file of its own, on one core; the clients on the other.
//!
//! `store PATH-TO-LEAFID`; `cargo xtask bench --only store` runs it with the published binary.

mod windows;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::post;
use leafid_benches::connection::{Asked, round};
use leafid_benches::rounds::{head, in_turns, row};
use leafid_benches::server::{Server, TAG, serve_bare};
use leafid_benches::{Outcome, cpu, program};
use leafid_stream::store::Store;
use serde_json::{Value, json};

/// The clients of the rows with many.
const CLIENTS: usize = 32;
/// How many numbers, and rows, the namespaces have that windows are acquired in.
const ROWS: [u32; 3] = [10, 1_000, 65_536];
const LENGTH: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    program("store", |words| match words {
        ["--bare"] => serve_bare(Router::new().route("/ids", post(ids))),
        [binary] => run(Path::new(binary)),
        _ => Err("`store PATH-TO-LEAFID`".to_owned()),
    })
}

/// The floor: reads JSON and answers JSON, and keeps nothing.
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

fn run(binary: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (bare, store) =
        cpu::beside(|| Ok((Arc::new(Server::bare()?), Store::start(binary, folder.path())?)))?;
    store.operate(&["tag", "create", TAG])?;
    let (mut filled, mut wrong) = (Vec::new(), Vec::new());
    for rows in ROWS {
        match windows::fill(&store, rows) {
            Ok(()) => filled.push(rows),
            Err(error) => wrong.push(error),
        }
    }

    let server = Arc::new(Server::of(&store));
    let asked = [
        ("a bare axum handler (the floor)", &bare, Asked::Bare),
        ("`POST /v1/segments/{tag}/ids`, one ID", &server, Asked::Ids),
        ("`POST /v1/segments/{tag}/lease`, durable", &server, Asked::Lease),
    ];
    let rounds = in_turns(&asked, |(_, server, asked)| round(server, *asked, CLIENTS, LENGTH))?;
    head(&format!("the store, {CLIENTS} clients"), "floor");
    for ((name, ..), own) in asked.iter().zip(&rounds) {
        row(name, own, &rounds[0]);
    }
    let rounds = in_turns(&filled, |rows| windows::round(&server, *rows, LENGTH))?;
    let title = format!("a window acquired and given back, {} clients", windows::CLIENTS);
    head(&title, "ten numbers");
    for (rows, own) in filled.iter().zip(&rounds) {
        row(&format!("among {rows} numbers, each with a row"), own, &rounds[0]);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

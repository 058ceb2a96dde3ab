//! The cost of one request to the central store, beside a bare handler of the same framework in the same
//! run: each server with its own file, on one core; the clients on the other.
//!
//! `served store|network|leaf PATH-TO-LEAFID`; `cargo xtask bench` runs each with the published binary.

mod windows;

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
use leafid_benches::rounds::{head, in_turns, row};
use leafid_benches::server::{Asks, Server, TAG, serve_bare};
use leafid_benches::{Outcome, cpu, program};
use leafid_stream::store::Store;
use serde_json::{Value, json};

/// The clients of the rows with many, each with its own connection.
const CLIENTS: usize = 32;
/// The worker numbers, each with a row, of the namespaces for windows.
const ROWS: [u32; 3] = [10, 1_000, 65_536];
const LENGTH: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    program("served", |words| match words {
        ["--bare"] => {
            let last = Arc::new(AtomicU64::new(1_000_000));
            let routes = Router::new().route("/ids", post(ids)).route("/id", get(id));
            serve_bare(routes.with_state(last))
        }
        ["store", binary] => store(Path::new(binary)),
        ["network", binary] => network(Path::new(binary)),
        ["leaf", binary] => leaf(Path::new(binary)),
        _ => Err("`served store|network|leaf PATH-TO-LEAFID`".to_owned()),
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

fn store(binary: &Path) -> Outcome {
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

/// Measures the cost of TLS and of a token.
fn network(binary: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let servers = cpu::beside(|| {
        let start = |name: &str, tls, tokens| {
            let asks = Asks { tls, tokens, leaf: false };
            Server::leafid(binary, &folder.path().join(name), asks).map(Arc::new)
        };
        Ok([
            ("neither", start("plain", false, false)?),
            ("a token", start("token", false, true)?),
            ("TLS and a token", start("both", true, true)?),
        ])
    })?;
    let paths = [("`…/ids`", Asked::Ids), ("`…/lease`", Asked::Lease)];
    let kinds: Vec<_> =
        paths.iter().flat_map(|path| servers.iter().map(move |server| (path, server))).collect();
    let rounds =
        in_turns(&kinds, |((_, asked), (_, server))| round(server, *asked, CLIENTS, LENGTH))?;
    head(&format!("{CLIENTS} connections that are kept"), "neither");
    for (at, ((path, _), (with, _))) in kinds.iter().enumerate() {
        row(&format!("{path}, {with}"), &rounds[at], &rounds[at / servers.len() * servers.len()]);
    }
    Ok(())
}

/// Measures an ID on Leaf's paths.
fn leaf(binary: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (bare, leafid) = cpu::beside(|| {
        let leafid = Server::leafid(binary, folder.path(), Asks { leaf: true, ..Asks::default() })?;
        Ok((Arc::new(Server::bare()?), Arc::new(leafid)))
    })?;
    let kinds = [
        ("a bare axum handler, an atomic as text (the floor)", &bare, "/id"),
        ("`GET /api/segment/get/{key}`", &leafid, "/api/segment/get/bench"),
        ("`GET /api/snowflake/get/{key}`", &leafid, "/api/snowflake/get/bench"),
    ];
    let rounds =
        in_turns(&kinds, |(_, server, path)| round(server, Asked::Text(path), CLIENTS, LONG))?;
    head(&format!("Leaf's paths, {CLIENTS} connections"), "floor");
    for ((name, ..), own) in kinds.iter().zip(&rounds) {
        row(name, own, &rounds[0]);
    }
    let of = |server: &Server| server.resident_kb().map(|kb| kb / 1_024.0);
    let (bare, leafid) = (of(&bare)?, of(&leafid)?);
    println!(
        "\nresident memory after that load: {bare:.1} MB the bare handler, {leafid:.1} MB leafid, {:.2} ×",
        leafid / bare
    );
    Ok(())
}

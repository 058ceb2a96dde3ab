//! What an ID costs on Leaf's paths, beside a bare handler of the same framework that answers an
//! atomic's value as text: in one run, the servers on one core, the clients on the other.
//!
//! `leaf PATH-TO-LEAFID`; `cargo xtask bench --only leaf` runs it with the published binary.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use leafid_benches::connection::{Asked, round};
use leafid_benches::rounds::{head, in_turns, row};
use leafid_benches::server::{Asks, Server, serve_bare};
use leafid_benches::{Outcome, cpu, program};

const CONNECTIONS: usize = 32;
const LENGTH: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    program("leaf", |words| match words {
        ["--bare"] => {
            let last = Arc::new(AtomicU64::new(1_000_000));
            serve_bare(Router::new().route("/id", get(id)).with_state(last))
        }
        [binary] => run(Path::new(binary)),
        _ => Err("`leaf PATH-TO-LEAFID`".to_owned()),
    })
}

async fn id(State(last): State<Arc<AtomicU64>>) -> String {
    last.fetch_add(1, Ordering::Relaxed).to_string()
}

fn run(binary: &Path) -> Outcome {
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
    let rounds = in_turns(&kinds, |(_, server, path)| {
        round(server, Asked::Text(path), CONNECTIONS, LENGTH)
    })?;
    head(&format!("Leaf's paths, {CONNECTIONS} connections"), "floor");
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

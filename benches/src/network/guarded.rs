//! What TLS and a token cost a request on a connection that is kept.

use std::path::Path;
use std::sync::Arc;

use crate::round::Round;
use crate::servers::{Asks, Server};
use crate::stream::Asked;
use crate::{LENGTH, Outcome, ROUNDS, load, of, ratio};

/// So many connections ask.
const CONNECTIONS: usize = 32;

/// Prints the table.
pub fn run(binary: &Path, folder: &Path) -> Outcome {
    let start = |name: &str, asks| Server::start(binary, folder, name, asks).map(Arc::new);
    let plain = start("plain", Asks::default())?;
    let token = start("token", Asks { tls: false, tokens: true })?;
    let both = start("both", Asks { tls: true, tokens: true })?;
    let kinds = [
        (Asked::Ids, "`…/ids`", "neither", &plain),
        (Asked::Ids, "`…/ids`", "a token", &token),
        (Asked::Ids, "`…/ids`", "TLS and a token", &both),
        (Asked::Lease, "`…/lease`", "neither", &plain),
        (Asked::Lease, "`…/lease`", "a token", &token),
        (Asked::Lease, "`…/lease`", "TLS and a token", &both),
    ];
    let runtime = load::runtime()?;
    let mut rounds: Vec<Vec<Round>> = kinds.iter().map(|_| Vec::new()).collect();
    for turn in 0..=ROUNDS {
        for ((asked, .., server), rounds) in kinds.iter().zip(&mut rounds) {
            let load = runtime.block_on(load::round(server, *asked, CONNECTIONS, LENGTH))?;
            if let Some(error) = load.failed.first() {
                return Err(error.clone());
            }
            if turn > 0 {
                rounds.push(load.answered);
            }
        }
    }
    println!(
        "\n| {CONNECTIONS} connections that are kept | with | per second | CPU µs | × neither | p50 ms \
         | p99 ms | p999 ms |\n|---|---|---|---|---|---|---|---|"
    );
    for (at, (_, path, with, _)) in kinds.iter().enumerate() {
        let (own, floor) = (&rounds[at], &rounds[at / 3 * 3]);
        println!(
            "| {path} | {with} | {:.0} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} |",
            of(own, |round| round.per_second),
            of(own, |round| round.cpu_us),
            ratio(own, floor, |round| round.cpu_us),
            of(own, |round| round.p50_ms),
            of(own, |round| round.p99_ms),
            of(own, |round| round.p999_ms),
        );
    }
    Ok(())
}

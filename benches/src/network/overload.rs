//! Four times as many clients as the server can do with. What a busy machine does not take away is the
//! processor's time for each that is answered: those that are refused are in it.

use std::path::Path;
use std::sync::Arc;

use crate::round::Round;
use crate::servers::{Asks, Server};
use crate::stream::Asked;
use crate::{LENGTH, Outcome, ROUNDS, load, of, ratio};

/// So much more is asked than can be done.
const TIMES: usize = 4;

/// Prints the table.
pub fn run(binary: &Path, folder: &Path) -> Outcome {
    let open = Arc::new(Server::start(binary, folder, "open", Asks::default())?);
    let known =
        Arc::new(Server::start(binary, folder, "known", Asks { tls: false, tokens: true })?);
    let kinds = [
        ("`…/ids`", Asked::Ids, 32, &open),
        ("`…/lease`", Asked::Lease, 32, &open),
        // A principal has room for so many requests under way.
        ("`…/lease`, one principal", Asked::Lease, 1_024, &known),
    ];
    let runtime = load::runtime()?;
    println!(
        "\n| asked for | connections | answered per second | × its most | CPU µs for each | × | p99 ms \
         | × | refused per second |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (name, asked, connections, server) in kinds {
        let most = [connections, connections * TIMES];
        let (mut rounds, mut refused) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for turn in 0..=ROUNDS {
            for (at, connections) in most.iter().enumerate() {
                let load = runtime.block_on(load::round(server, asked, *connections, LENGTH))?;
                if let Some(error) = load.failed.first() {
                    return Err(format!("{name}: {error}"));
                }
                if turn > 0 {
                    rounds[at].push(load.answered);
                    refused[at].push(load.refused as f64 / LENGTH.as_secs_f64());
                }
            }
        }
        for (at, connections) in most.iter().enumerate() {
            let (own, floor): (&[Round], &[Round]) = (&rounds[at], &rounds[0]);
            println!(
                "| {name} | {connections} | {:.0} | {:.2} | {:.1} | {:.2} | {:.1} | {:.1} | {:.0} |",
                of(own, |round| round.per_second),
                ratio(own, floor, |round| round.per_second),
                of(own, |round| round.cpu_us),
                ratio(own, floor, |round| round.cpu_us),
                of(own, |round| round.p99_ms),
                ratio(own, floor, |round| round.p99_ms),
                crate::round::median(refused[at].clone()),
            );
        }
    }
    Ok(())
}

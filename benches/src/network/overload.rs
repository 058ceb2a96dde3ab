//! Four times as many clients as the server can do with. What a busy machine does not take away is the
//! processor's time for each that is answered: those that are refused are in it.

use std::path::Path;
use std::sync::Arc;

use leafid_benches::Outcome;
use leafid_benches::connection::{Asked, round};
use leafid_benches::rounds::{in_turns, of, ratio};
use leafid_benches::server::Asks;

use crate::{LENGTH, start};

/// So much more is asked than can be done.
const TIMES: usize = 4;

pub fn run(binary: &Path, folder: &Path) -> Outcome {
    let start = |name: &str, tokens| {
        start(binary, &folder.join(name), Asks { tokens, ..Asks::default() }).map(Arc::new)
    };
    let (open, known) = (start("open", false)?, start("known", true)?);
    let kinds = [
        ("`…/ids`", Asked::Ids, 32, &open),
        ("`…/lease`", Asked::Lease, 32, &open),
        // A principal has room for so many requests under way.
        ("`…/lease`, one principal", Asked::Lease, 1_024, &known),
    ];
    println!(
        "\n| asked for | connections | answered per second | × its most | CPU µs for each | × | p99 ms \
         | × | refused per second |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (name, asked, most, server) in kinds {
        let connections = [most, most * TIMES];
        let rounds = in_turns(&connections, |many| {
            round(server, asked, *many, LENGTH).map_err(|error| format!("{name}: {error}"))
        })?;
        for (connections, own) in connections.iter().zip(&rounds) {
            let floor = &rounds[0];
            println!(
                "| {name} | {connections} | {:.0} | {:.2} | {:.1} | {:.2} | {:.1} | {:.1} | {:.0} |",
                of(own, |round| round.per_second),
                ratio(own, floor, |round| round.per_second),
                of(own, |round| round.cpu_us),
                ratio(own, floor, |round| round.cpu_us),
                of(own, |round| round.p99_ms),
                ratio(own, floor, |round| round.p99_ms),
                of(own, |round| round.refused),
            );
        }
    }
    Ok(())
}

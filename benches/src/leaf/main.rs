//! What an ID costs on Leaf's paths, beside a bare handler of the same framework that answers an
//! atomic's value as text: in one run, the servers on one core, the clients on the other.
//!
//! `leaf PATH-TO-LEAFID`; `cargo xtask bench --only leaf` runs it with the published binary.

#[path = "../store/cpu.rs"]
mod cpu;
mod load;
#[path = "../store/round.rs"]
mod round;
mod servers;

use std::process::ExitCode;
use std::time::Duration;

use round::{Round, median};
use servers::Server;

/// So many connections ask, each for one ID after another.
const CONNECTIONS: usize = 32;
const ROUNDS: usize = 5;
const LENGTH: Duration = Duration::from_secs(3);

type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--bare"] => servers::bare(),
        [binary] => run(binary.as_ref()),
        _ => Err("`leaf PATH-TO-LEAFID`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("leaf: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(binary: &std::path::Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    // What is started from here is served on the first core; the clients load the other.
    let pinned = cpu::pin(0);
    let bare = Server::bare()?;
    let leafid = Server::leafid(binary, folder.path())?;
    cpu::pin(1);
    match pinned {
        true => println!("servers on core 0, clients on core 1"),
        false => println!("one core, or not Linux: servers and clients share what there is"),
    }
    let kinds = [
        ("a bare axum handler, an atomic as text (the floor)", &bare, "/id"),
        ("`GET /api/segment/get/{key}`", &leafid, "/api/segment/get/bench"),
        ("`GET /api/snowflake/get/{key}`", &leafid, "/api/snowflake/get/bench"),
    ];
    let mut rounds: Vec<Vec<Round>> = kinds.iter().map(|_| Vec::new()).collect();
    // The first round warms up, and is not counted.
    for turn in 0..=ROUNDS {
        for ((_, server, path), rounds) in kinds.iter().zip(&mut rounds) {
            let round = load::round(server, path, CONNECTIONS, LENGTH)?;
            if turn > 0 {
                rounds.push(round);
            }
        }
    }
    println!(
        "\n| Leaf's paths, {CONNECTIONS} connections | per second | × floor | CPU µs | × floor | p50 ms \
         | p99 ms | p999 ms |\n|---|---|---|---|---|---|---|---|"
    );
    let floor = &rounds[0];
    for ((name, ..), own) in kinds.iter().zip(&rounds) {
        let of = |field: fn(&Round) -> f64| median(own.iter().map(field).collect());
        let ratio = |field: fn(&Round) -> f64| {
            median(own.iter().zip(floor).map(|(own, floor)| field(own) / field(floor)).collect())
        };
        println!(
            "| {name} | {:.0} | {:.2} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} |",
            of(|round| round.per_second),
            ratio(|round| round.per_second),
            of(|round| round.cpu_us),
            ratio(|round| round.cpu_us),
            of(|round| round.p50_ms),
            of(|round| round.p99_ms),
            of(|round| round.p999_ms),
        );
    }
    let (bare, leafid) = (bare.resident_mb()?, leafid.resident_mb()?);
    println!(
        "\nresident memory after that load: {bare:.1} MB the bare handler, {leafid:.1} MB leafid, {:.2} ×",
        leafid / bare
    );
    Ok(())
}

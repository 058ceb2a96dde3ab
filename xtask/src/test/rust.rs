//! The test parts that cargo runs.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{runners, suites};
use crate::process::log::Log;
use crate::process::{Run, Said};
use crate::report::Report;
use crate::{Outcome, build, consumers, project, simulate};

/// Path segment of every test that needs a foreign server.
const ENGINES: &str = "engines::";
/// Test targets that contain such tests.
const ENGINE_TARGETS: [&str; 6] =
    ["databases", "leaf", "conformance", "lives", "orders", "processes"];

/// Runs unit tests and doctests of every member except the end-to-end ones.
pub fn workspace() -> Outcome<Report> {
    let run = Run::cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]);
    let run = run.args(["--exclude", "leafid-tests", "--exclude", "leafid-example-axum"]);
    // Most tests wait for a server or a disk: two on each core.
    let threads = 2 * thread::available_parallelism().map_or(1, usize::from);
    let run = run.env("RUST_TEST_THREADS", threads.to_string());
    let run = run.env("LEAFID_BIN", build::server_binary());
    runners::cargo(run.args(["--", "--skip", ENGINES]))
}

/// Tests the store over PostgreSQL, MariaDB, etcd and ZooKeeper.
pub fn engines() -> Outcome<Report> {
    let run = Run::cargo(&["test", "--locked", "--no-fail-fast"]);
    let packages = ["leafid", "leafid-server", "leafid-servers", "leafid-example-axum"];
    let run = run.args(packages.iter().flat_map(|package| ["-p", package]));
    let targets = ENGINE_TARGETS.iter().flat_map(|target| ["--test", target]);
    runners::cargo(run.args(targets).args(["--", ENGINES]))
}

/// Runs end-to-end and fault tests over the built packages, and the vectors in Rust.
pub fn end_to_end() -> Outcome<Report> {
    let (python, consumer) = (consumers::python("stream", &[])?, consumers::node()?);
    let run = Run::cargo(&["test", "--locked", "--no-fail-fast", "-p", "leafid-tests"])
        .env("LEAFID_PYTHON", python)
        .env("LEAFID_CONSUMER", consumer);
    runners::cargo(suites::with_places(run, &project::at("tests/vectors")))
}

/// Checks the lock-free line under every interleaving of loom, and the fence under every order of steps.
pub fn models() -> Outcome<Report> {
    let run = Run::new("cargo")
        .args(["test", "--locked", "-p", "leafid-seeded", "-p", "leafid-core", "--release"])
        .args(["--lib", "--test", "fence", "model", "--", "--nocapture"])
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", project::target().join("loom"));
    runners::cargo(run)
}

/// Runs the same simulated worlds on every machine, and finds every seeded bug in them, so a failure is
/// reproducible. The nightly verb tries new worlds. The two are one thread's work each, so they run side by
/// side.
pub fn simulate() -> Outcome<Report> {
    simulate::build()?;
    let log = Log::create(project::target().join("log/test/simulate-bugs.log"))?;
    let (clean, bugs) = thread::scope(|scope| {
        let seeded = || simulate::simulator().args(["--bugs", "--seed", "1"]).tee();
        let bugs = scope.spawn(move || log.during(seeded));
        let clean = simulate::simulator().args(["--seed", "1", "--worlds", "250"]).tee();
        (clean, bugs.join().unwrap_or_else(|_| Err("simulate --bugs: it panicked".to_owned())))
    });
    let clean = last_line(&clean?, "simulate")?;
    let bugs = last_line(&bugs?, "simulate --bugs")?;
    Ok(format!("{clean}; {bugs}").into())
}

/// Kills servers and databases of every engine while clients lease: `count` times, or `LEAFID_KILLS`; CI kills
/// twice. Prints the grants, those of the controls, too.
pub fn kills(count: u64) -> Outcome<Report> {
    let kills = std::env::var("LEAFID_KILLS").unwrap_or_else(|_| count.to_string());
    let run = Run::cargo(&["test", "--locked", "-p", "leafid-server", "--test", "databases", "--"])
        // One after another, since each has its own load.
        .args(["granted_twice", "--nocapture", "--test-threads=1"])
        .env("LEAFID_KILLS", &kills);
    let report = runners::cargo(run)?;
    Ok(Report { note: format!("{kills} kills of each engine"), ..report })
}

/// Takes every engine back in every way that it has, under servers that live, die and start; `rounds` is the number
/// of fail-overs of servers, or `LEAFID_BACK`. Prints the grants, those of the controls, too, and the figures.
pub fn back(rounds: u64) -> Outcome<Report> {
    let rounds = std::env::var("LEAFID_BACK").unwrap_or_else(|_| rounds.to_string());
    let run = Run::cargo(&["test", "--locked", "-p", "leafid-server", "--test", "databases", "--"])
        .args(["engines::back", "--include-ignored", "--nocapture", "--test-threads=1"])
        .env("LEAFID_BACK", &rounds);
    runners::cargo(run)
}

/// Fuzzes everything that reads input from outside: each target for this many seconds, with one target at a
/// time on each core.
pub fn fuzz(seconds: u64) -> Outcome<Report> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    let seed = since.as_secs();
    let run = Run::cargo(&["test", "--locked", "-p", "leafid-server", "--lib", "fuzzed"])
        .args(["--", "--nocapture"])
        .env("LEAFID_FUZZ_SECONDS", seconds.to_string())
        .env("LEAFID_FUZZ_SEED", seed.to_string());
    Ok(Report { note: format!("from seed {seed} on"), ..runners::cargo(run)? })
}

/// Simulates worlds from a new seed for this many seconds.
pub fn search(seconds: u64) -> Outcome<Report> {
    simulate::build()?;
    let said = simulate::simulator().args(["--seconds", &seconds.to_string()]).tee()?;
    last_line(&said, "simulate").map(Report::from)
}

fn last_line(said: &Said, what: &str) -> Outcome<String> {
    let line = said.stdout.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    if said.success { Ok(line.trim().to_owned()) } else { Err(format!("{what}: {}", line.trim())) }
}

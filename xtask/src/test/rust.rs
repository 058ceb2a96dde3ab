//! The parts that cargo runs.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::build;
use crate::process::{Run, Said};
use crate::{Outcome, consumers, project, simulate};

/// Unit tests and doctests of every member but the end-to-end ones.
pub fn workspace() -> Outcome<String> {
    let said = Run::cargo(&["test", "--workspace", "--locked", "--no-fail-fast"])
        .args(["--exclude", "leafid-tests"])
        .tee()?;
    closing_line(&said)
}

/// What needs the built packages: vectors in Rust, end-to-end, faults.
pub fn end_to_end() -> Outcome<String> {
    let (python, consumer) = (consumers::python()?, consumers::node()?);
    let said = Run::cargo(&["test", "--locked", "--no-fail-fast", "-p", "leafid-tests"])
        .env("LEAFID_BIN", build::server_binary())
        .env("LEAFID_DIST", project::dist())
        .env("LEAFID_PYTHON", python)
        .env("LEAFID_CONSUMER", consumer)
        .tee()?;
    closing_line(&said)
}

/// The lock-free line under every interleaving that loom can think of.
pub fn models() -> Outcome<String> {
    let said = Run::new("cargo")
        .args(["test", "--locked", "-p", "leafid-core", "--lib", "--release", "model"])
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", project::target().join("loom"))
        .tee()?;
    closing_line(&said)
}

/// The same worlds on every machine, and every seeded bug found in them: what is red here is red
/// for everybody. The nightly verb looks for worlds that nobody has seen. Each of the two is one
/// thread's work, so they run side by side.
pub fn simulate() -> Outcome<String> {
    let (clean, bugs) = thread::scope(|scope| {
        let bugs = scope.spawn(|| simulate::simulator().args(["--bugs", "--seed", "1"]).tee());
        let clean = simulate::simulator().args(["--seed", "1", "--worlds", "250"]).tee();
        (clean, bugs.join().unwrap_or_else(|_| Err("simulate --bugs: it panicked".to_owned())))
    });
    let clean = last_line(&clean?, "simulate")?;
    let bugs = last_line(&bugs?, "simulate --bugs")?;
    Ok(format!("{clean}; {bugs}"))
}

/// Servers and databases of every engine are killed while clients lease: so many times, or as often as
/// `LEAFID_KILLS` says. CI kills twice. What was granted is printed, also what the controls found.
pub fn kills(count: u64) -> Outcome<String> {
    let kills = std::env::var("LEAFID_KILLS").unwrap_or_else(|_| count.to_string());
    let said =
        Run::cargo(&["test", "--locked", "-p", "leafid-server", "--test", "databases", "--"])
            // One after another: each has a load of its own.
            .args(["granted_twice", "--nocapture", "--test-threads=1"])
            .env("LEAFID_KILLS", &kills)
            .tee()?;
    Ok(format!("{} kills of each engine: {}", kills, closing_line(&said)?))
}

/// Inputs that nobody has seen, for everything that comes from outside: each target for so many seconds,
/// as each core has one target after another.
pub fn fuzz(seconds: u64) -> Outcome<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    let seed = since.as_secs();
    let said = Run::cargo(&["test", "--locked", "-p", "leafid-server", "--lib", "fuzzed"])
        .args(["--", "--nocapture"])
        .env("LEAFID_FUZZ_SECONDS", seconds.to_string())
        .env("LEAFID_FUZZ_SEED", seed.to_string())
        .tee()?;
    closing_line(&said).map(|line| format!("{line}, from seed {seed} on"))
}

/// Seconds of worlds from a seed that is new each time.
pub fn search(seconds: u64) -> Outcome<String> {
    last_line(&simulate::simulator().args(["--seconds", &seconds.to_string()]).tee()?, "simulate")
}

fn last_line(said: &Said, what: &str) -> Outcome<String> {
    let line = said.stdout.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    if said.success { Ok(line.trim().to_owned()) } else { Err(format!("{what}: {}", line.trim())) }
}

/// The sum over all of cargo's `test result:` lines; none passed is a failure.
pub fn closing_line(said: &Said) -> Outcome<String> {
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for line in said.stdout.lines().filter(|line| line.starts_with("test result:")) {
        passed += count(line, "passed");
        failed += count(line, "failed");
        ignored += count(line, "ignored");
    }
    let line = format!("{passed} passed, {failed} failed, {ignored} ignored");
    if said.success && passed > 0 { Ok(line) } else { Err(format!("cargo test: {line}")) }
}

fn count(line: &str, word: &str) -> u64 {
    let before = line.split_once(&format!(" {word}")).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::closing_line;
    use crate::process::Said;

    #[test]
    fn results_are_added_up() {
        let stdout = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured;\nx\n\
                      test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured;";
        let said = |success, stdout: &str| Said {
            success,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        };
        let sum = Ok("7 passed, 0 failed, 1 ignored".to_owned());
        assert_eq!(closing_line(&said(true, stdout)), sum);
        assert!(closing_line(&said(false, stdout)).is_err());
        assert!(closing_line(&said(true, "test result: ok. 0 passed;")).is_err());
    }
}

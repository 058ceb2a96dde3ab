//! Tests the component in Python's wasmtime: its suite, the vectors, and the example.

use std::path::{Path, PathBuf};

use super::{runners, suites};
use crate::build::component;
use crate::process::{Run, Said};
use crate::report::Report;
use crate::{Outcome, build, consumers, project, tools};

const REQUIREMENTS: &str = "bindings-component/tests/requirements.txt";
const SUITE: &str = "bindings-component/tests";

pub fn suite() -> Outcome<Report> {
    component::STORE.make()?;
    runners::pytest(pytest(&["-s", SUITE], &project::at("tests/vectors"))?)
}

/// Replays the vectors only.
pub fn replay(vectors: &Path) -> Outcome<Run> {
    pytest(&["-s", "bindings-component/tests/test_vectors.py", "-k", "test_vectors["], vectors)
}

/// Runs the example in Python, over a server and over a database.
pub fn example() -> Outcome<Report> {
    build::need(&["server", "component"])?;
    let script = Run::new(&interpreter()?).arg("examples/component-python/main.py");
    zero(environment(script).tee()?).map(Report::from)
}

/// The closing line of an example with enough IDs and no duplicates.
fn zero(said: Said) -> Outcome<String> {
    let lines = said.stdout.lines().filter(|line| line.contains("duplicates: "));
    let lines: Vec<_> = lines.collect();
    let fine = |line: &&str| line.ends_with("duplicates: 0") && line.contains("100000 IDs");
    if said.success && lines.len() >= 2 && lines.iter().all(fine) {
        return Ok(lines.join("; "));
    }
    Err(format!("the example did not end well: {}", lines.join("; ")))
}

fn pytest(words: &[&str], vectors: &Path) -> Outcome<Run> {
    build::need(&["component"])?;
    let run = suites::pytest_of(&interpreter()?, words);
    Ok(environment(run).env("LEAFID_VECTORS", vectors))
}

fn environment(run: Run) -> Run {
    suites::with_places(run, &project::at("tests/vectors"))
        .env("LEAFID_COMPONENTS", component::folder())
}

/// Makes an environment with pytest and wasmtime; returns its interpreter.
pub fn interpreter() -> Outcome<PathBuf> {
    tools::venv("component", &[consumers::PYTEST, "-r", REQUIREMENTS])
}

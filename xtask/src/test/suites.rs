//! The suites of the hosts, whole or their vectors only, each in its consumer's place.

use std::path::{Path, PathBuf};

use super::component;
use super::pytest::closing_line;
use crate::build;
use crate::process::Run;
use crate::{Outcome, consumers, files, project, tools};

/// The replay of the vectors in one language: where they lie, and what to run.
pub type Replay = fn(vectors: &Path, quiet: bool) -> Outcome<Run>;

/// The five languages as they name themselves in their `vectors:` lines.
pub const REPLAYS: &[(&str, Replay)] = &[
    ("rust", replay_rust),
    ("python", replay_python),
    ("node", replay_node),
    ("wasm", replay_wasm),
    ("component", component::replay),
];

/// The whole Python suite.
pub fn python() -> Outcome<String> {
    closing_line(&pytest(&["bindings-py/tests"])?.tee()?)
}

/// The whole Node suite.
pub fn node() -> Outcome<String> {
    script_suite("node", "")
}

/// The whole suite of Workers, through Miniflare.
pub fn workerd() -> Outcome<String> {
    script_suite("workerd", "")
}

/// How users compile: what `module` and `moduleResolution` are, and which libraries their target has.
const COMPILED: &[[&str; 3]] = &[
    ["nodenext", "nodenext", "es2022,esnext.disposable,dom"],
    ["node16", "node16", "es2022,dom"],
    ["preserve", "bundler", "es2022,dom"],
];

/// The published types, as a strict user compiles against them.
pub fn types() -> Outcome<String> {
    let folder = consumers::node_with_suites()?;
    let sources = files::walk(&folder.join("tests/types"))?;
    let is_source =
        |path: &&PathBuf| path.extension().is_some_and(|kind| kind == "ts" || kind == "cts");
    for [module, resolution, libraries] in COMPILED {
        tools::npx("tsc")
            .args(["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--pretty", "false"])
            .args(["--target", "es2022", "--module", module, "--moduleResolution", resolution])
            .args(["--lib", libraries, "--types", "node", "--typeRoots"])
            .arg(project::at("node_modules/@types"))
            .args(sources.iter().filter(is_source))
            .dir(&folder)
            .done()?;
    }
    // mypy and stubtest speak in the suite of Python.
    tools::npx("pyright")
        .args(["--pythonpath".as_ref(), consumers::python()?.as_os_str()])
        .args(["--project", "bindings-py/tests/types"])
        .done()?;
    Ok(format!("tsc has nothing to say, {} ways, nor has pyright", COMPILED.len()))
}

fn replay_rust(vectors: &Path, _: bool) -> Outcome<Run> {
    let test = ["test", "--locked", "-p", "leafid-tests", "--test", "vectors"];
    let run = Run::cargo(&test).args(["--", "--nocapture", "--test-threads", "1"]);
    Ok(with_places(run, vectors))
}

fn replay_python(vectors: &Path, _: bool) -> Outcome<Run> {
    Ok(with_places(pytest(&["-s", "bindings-py/tests/test_vectors.py"])?, vectors))
}

fn replay_node(vectors: &Path, quiet: bool) -> Outcome<Run> {
    Ok(with_places(node_test("node", "vectors", quiet)?, vectors))
}

fn replay_wasm(vectors: &Path, quiet: bool) -> Outcome<Run> {
    Ok(with_places(node_test("workerd", "vectors", quiet)?, vectors))
}

fn pytest(words: &[&str]) -> Outcome<Run> {
    Ok(pytest_of(&consumers::python()?, words))
}

/// A run of pytest in an environment.
pub fn pytest_of(python: &Path, words: &[&str]) -> Run {
    let run = Run::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"])
        .args(words)
        .without("PYTHONPATH");
    with_places(run, &project::at("tests/vectors"))
}

/// The npm package in bundlers, runners, runtimes and beside other libraries, as a user installs it.
pub fn programs() -> Outcome<String> {
    let folder = consumers::programs()?;
    told(node_run(&folder, test_files(&folder.join("suites"), "")?))
}

fn script_suite(folder: &str, only: &str) -> Outcome<String> {
    told(node_test(folder, only, false)?)
}

/// Runs a suite of `node --test`, and gives its closing line, where it was content.
pub fn told(run: Run) -> Outcome<String> {
    let said = run.tee()?;
    let told = |word: &str| {
        let lines = said.stdout.lines().rev().map(|line| line.trim_start_matches(['ℹ', '#', ' ']));
        let mut counts = lines.filter_map(|line| line.strip_prefix(word)?.trim().parse().ok());
        counts.next().unwrap_or(0_u64)
    };
    let (passed, failed, skipped) = (told("pass "), told("fail "), told("skipped "));
    let line = format!("{passed} passed, {failed} failed, {skipped} skipped");
    if said.success && passed > 0 { Ok(line) } else { Err(format!("node --test: {line}")) }
}

fn node_test(folder: &str, only: &str, quiet: bool) -> Outcome<Run> {
    let consumer =
        if quiet { project::at(".cache/consumer-js") } else { consumers::node_with_suites()? };
    let tests = test_files(&consumer.join("tests").join(folder), only)?;
    Ok(node_run(&consumer, tests))
}

fn node_run(folder: &Path, tests: Vec<PathBuf>) -> Run {
    let run =
        node_tests(tests).dir(folder).env("WRANGLER_SEND_METRICS", "false").env("FORCE_COLOR", "0");
    with_places(run, &project::at("tests/vectors"))
}

/// `node --test` on these files. One that hangs is ended after a quarter of an hour, and the others still run.
pub fn node_tests(tests: Vec<PathBuf>) -> Run {
    Run::new("node").args(["--test", "--test-reporter=spec", "--test-timeout=900000"]).args(tests)
}

/// Every `*.test.js` (or `.mjs`, `.cjs`) below a folder, whose name begins as said.
pub fn test_files(folder: &Path, only: &str) -> Outcome<Vec<PathBuf>> {
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(only)
            && [".test.js", ".test.mjs", ".test.cjs"].iter().any(|end| name.ends_with(end))
    };
    let found: Vec<_> = files::walk(folder)?.into_iter().filter(named).collect();
    if found.is_empty() {
        return Err(format!("no `{only}*.test.js` in `{}`", files::shown(folder)));
    }
    Ok(found)
}

pub fn with_places(run: Run, vectors: &Path) -> Run {
    run.env("LEAFID_VECTORS", vectors)
        .env("LEAFID_BIN", build::server_binary())
        .env("LEAFID_DIST", project::dist())
}

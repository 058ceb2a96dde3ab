//! Runs the hosts' suites, or only their vectors, each in its consumer's folder.

use std::path::{Path, PathBuf};

use super::runners;
use crate::process::Run;
use crate::report::Report;
use crate::{Outcome, build, consumers, files, project, tools};

const PYTHON_TESTS: &str = "bindings-py/tests";

/// Runs Python's suite without foreign servers.
pub fn python() -> Outcome<Report> {
    runners::pytest(pytest_of(&interpreter()?, &["-m", "not engine", PYTHON_TESTS]))
}

/// Tests Python's stores over database servers, with each driver.
pub fn python_engines() -> Outcome<Report> {
    let list = format!("{PYTHON_TESTS}/requirements-engines.txt");
    // Named here, too, so that a change of either list rebuilds the environment.
    let versions = format!("{PYTHON_TESTS}/requirements.txt");
    let words = [consumers::PYTEST, "-c", &versions, "-r", &list];
    let python = consumers::python("engines", &words)?;
    // The one driver without a wheel; its tests report if it is missing.
    let alone = format!("{PYTHON_TESTS}/requirements-mysqlclient.txt");
    let _ = Run::new(&python).args(["-m", "pip", "install", "--quiet", "-r", &alone]).done();
    runners::pytest(pytest_of(&python, &["-m", "engine", PYTHON_TESTS]))
}

/// Runs Node's suite without foreign servers.
pub fn node() -> Outcome<Report> {
    let consumer = consumers::node_with_suites()?;
    let mut tests = test_files(&consumer.join("tests/node"), "")?;
    tests.extend(test_files(&consumer.join("tests/sqlite"), "")?);
    runners::node(node_run(&consumer), &tests)
}

/// Random verbs through the program, Python's store and Node's: the same answers and rows. Prints its seed, a
/// new one unless it is given.
pub fn verbs(seed: Option<&str>) -> Outcome<Report> {
    if !cfg!(target_os = "linux") {
        let mut report = Report::default();
        report.skip("NOT RUN  verbs: the program's clock is set by a preload, as Linux has them");
        return Ok(report);
    }
    build::need(&["server"])?;
    let run = Run::new(interpreter()?).arg("tests/verbs/verbs.py").without("PYTHONPATH");
    let run = run.arg(consumers::node_with_suites()?).args(seed);
    let said = with_places(run, &project::at("tests/vectors")).tee()?;
    match said.stdout.lines().last() {
        Some(line) if said.success => Ok(line.to_owned().into()),
        line => Err(format!("they differ, or did not end: {}", line.unwrap_or_default())),
    }
}

/// Tests Node's stores over database servers, with each driver.
pub fn node_engines() -> Outcome<Report> {
    let consumer = consumers::node_with_suites()?;
    runners::node(node_run(&consumer), &test_files(&consumer.join("tests/databases"), "")?)
}

/// Runs the whole suite of Workers, through Miniflare.
pub fn workerd() -> Outcome<Report> {
    let consumer = consumers::node_with_suites()?;
    runners::node(node_run(&consumer), &test_files(&consumer.join("tests/workerd"), "")?)
}

/// Tests the npm package in bundlers, runners, runtimes and beside other libraries, as users install it.
pub fn programs() -> Outcome<Report> {
    let folder = consumers::programs()?;
    runners::node(node_run(&folder), &test_files(&folder.join("suites"), "")?)
}

/// Users' compiler settings: `module`, `moduleResolution`, and the libraries of their target.
const COMPILED: &[[&str; 3]] = &[
    ["nodenext", "nodenext", "es2022,esnext.disposable,dom"],
    ["node16", "node16", "es2022,dom"],
    ["preserve", "bundler", "es2022,dom"],
];

/// Compiles against the published types as a strict user does.
pub fn types() -> Outcome<Report> {
    let folder = consumers::node_with_suites()?;
    let readme = files::read(&project::at("bindings-js/README.md"))?;
    let mut programs = readme.split("```ts\n").filter_map(|part| part.split("```").next());
    let worker = programs.find(|program| program.contains("leafid/workers"));
    let worker = worker.ok_or("the README has no Worker of TypeScript")?;
    files::write(&folder.join("tests/types/readme.ts"), worker)?;
    let sources = files::walk(&folder.join("tests/types"))?;
    let is_source =
        |path: &&PathBuf| path.extension().is_some_and(|kind| kind == "ts" || kind == "cts");
    for [module, resolution, libraries] in COMPILED {
        tools::npx("tsc")
            .args(["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noImplicitOverride"])
            .args(["--pretty", "false"])
            .args(["--target", "es2022", "--module", module, "--moduleResolution", resolution])
            .args(["--lib", libraries, "--types", "node", "--typeRoots"])
            .arg(project::at("node_modules/@types"))
            .args(sources.iter().filter(is_source))
            .dir(&folder)
            .done()?;
    }
    // mypy and stubtest run in Python's suite.
    tools::npx("pyright")
        .args(["--pythonpath".as_ref(), interpreter()?.as_os_str()])
        .args(["--project", "bindings-py/tests/types"])
        .done()?;
    Ok(format!("tsc and pyright accept them, tsc in {} ways", COMPILED.len()).into())
}

const PYTHON_SUITE: &[&str] = &[consumers::PYTEST, "-r", "bindings-py/tests/requirements.txt"];

fn interpreter() -> Outcome<PathBuf> {
    let python = consumers::python("suite", PYTHON_SUITE)?;
    consumers::with(&python, "server-wheel", &build::product("server-wheel")?).map(|()| python)
}

/// Fetches what `types` needs besides the wheel.
pub fn fetch() -> Outcome {
    tools::node_modules_of_tests()?;
    tools::venv("suite", PYTHON_SUITE).map(drop)
}

pub fn replay_rust(vectors: &Path) -> Outcome<Run> {
    let test = ["test", "--locked", "-p", "leafid-tests", "--test", "vectors"];
    let run = Run::cargo(&test).args(["--", "--nocapture", "--test-threads", "1"]);
    Ok(with_places(run, vectors))
}

pub fn replay_python(vectors: &Path) -> Outcome<Run> {
    let words = ["-s", "-m", "not engine", "bindings-py/tests/test_vectors.py"];
    let run = pytest_of(&interpreter()?, &words);
    Ok(with_places(run, vectors))
}

/// Replays the vectors in a folder of the prepared consumer: Node's or the Worker's.
pub fn replay_script(folder: &str, vectors: &Path) -> Outcome<Run> {
    let consumer = project::at(".cache/consumer-js");
    let tests = test_files(&consumer.join("tests").join(folder), "vectors")?;
    let run = node_run(&consumer).args(["--test", "--test-reporter=spec"]).args(tests);
    Ok(with_places(run, vectors))
}

/// Prepares pytest in an environment.
pub fn pytest_of(python: &Path, words: &[&str]) -> Run {
    let run = Run::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"])
        .args(words)
        .without("PYTHONPATH");
    with_places(run, &project::at("tests/vectors"))
}

fn node_run(folder: &Path) -> Run {
    let run = Run::new("node").dir(folder);
    let run = run.env("WRANGLER_SEND_METRICS", "false").env("FORCE_COLOR", "0");
    with_places(run, &project::at("tests/vectors"))
}

/// Every `*.test.js` (or `.mjs`, `.cjs`) below a folder whose name begins with `only`.
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

/// Passes the paths of the products and the vectors.
pub fn with_places(run: Run, vectors: &Path) -> Run {
    run.env("LEAFID_VECTORS", vectors)
        .env("LEAFID_BIN", build::server_binary())
        .env("LEAFID_DIST", project::dist())
        .env("LEAFID_ROOT", project::root())
        .env("CARGO_TARGET_DIR", project::target())
}

//! Reads the runners' reports: of pytest and Node as JUnit's XML, of cargo as its result lines.

use std::path::{Path, PathBuf};

use crate::process::{Run, log};
use crate::report::Report;
use crate::{Outcome, files, project};

/// Runs pytest, and counts its report.
pub fn pytest(run: Run) -> Outcome<Report> {
    let report = report_file("xml");
    let said = run.arg(format!("--junit-xml={}", report.display())).tee()?;
    counted("pytest", said.success, &report)
}

/// Runs `node --test` on these files, and counts its report. A file that hangs is ended after a quarter of an
/// hour, and the others still run.
pub fn node(run: Run, tests: &[PathBuf]) -> Outcome<Report> {
    let report = report_file("xml");
    // Node's default is one fewer than the cores, though most files wait.
    let files = 1 + std::thread::available_parallelism().map_or(1, usize::from);
    let said = run
        .args(["--test", "--test-timeout=900000", &format!("--test-concurrency={files}")])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .args(["--test-reporter=junit", "--test-reporter-destination"])
        .arg(&report)
        .args(tests)
        .tee()?;
    counted("node --test", said.success, &report)
}

/// Runs `cargo test`, and adds up its binaries' results.
pub fn cargo(run: Run) -> Outcome<Report> {
    let missing = report_file("missing");
    let said = run.env("LEAFID_NOT_RUN", &missing).tee()?;
    let mut report = result_lines(&said.stdout);
    for line in files::read(&missing).unwrap_or_default().lines() {
        // The test ended without a failure, so its binary counted it as passed.
        report.skip(line);
        report.passed = report.passed.saturating_sub(1);
    }
    if !said.success && report.is_fine() {
        return Err(format!("a test binary did not end well: {}", report.line()));
    }
    Ok(report)
}

/// An empty path for the report of this thread's part.
fn report_file(kind: &str) -> PathBuf {
    let beside = log::current().map(|log| log.path().to_owned());
    let file = beside.unwrap_or_else(|| project::target().join("log/report")).with_extension(kind);
    // An earlier report must not count.
    let _ = files::remove(&file);
    file
}

fn counted(runner: &str, success: bool, report: &Path) -> Outcome<Report> {
    let text = files::read(report).map_err(|error| format!("{runner} wrote no report: {error}"))?;
    let report = junit(&text)?;
    if !success && report.is_fine() {
        return Err(format!("{runner} failed outside of its tests: {}", report.line()));
    }
    Ok(report)
}

fn junit(text: &str) -> Outcome<Report> {
    let document = roxmltree::Document::parse(text).map_err(|error| format!("JUnit: {error}"))?;
    let mut report = Report::default();
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let child = |name: &str| case.children().find(|node| node.has_tag_name(name));
        if child("failure").or_else(|| child("error")).is_some() {
            report.failed += 1;
            let (file, name) = (case.attribute("classname"), case.attribute("name"));
            let file = file.filter(|file| *file != "test").map(|file| format!("{file}: "));
            let name = format!("{}{}", file.unwrap_or_default(), name.unwrap_or("a test"));
            report.first.get_or_insert(name);
        } else if let Some(skipped) = child("skipped") {
            report.skip(skipped.attribute("message").unwrap_or_default());
        } else {
            report.passed += 1;
        }
    }
    Ok(report)
}

/// Sums up the `test result:` lines of all binaries.
fn result_lines(stdout: &str) -> Report {
    let mut report = Report::default();
    for line in stdout.lines() {
        if let Some(name) =
            line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"))
        {
            report.first.get_or_insert(name.to_owned());
        }
        if let Some(counts) = line.strip_prefix("test result:") {
            report.passed += count(counts, "passed");
            report.failed += count(counts, "failed");
            report.skipped += count(counts, "ignored");
        }
    }
    report
}

fn count(line: &str, word: &str) -> u64 {
    let before = line.split_once(&format!(" {word}")).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

//! Runs and times the parts of a job, and reports them at the end. Output goes to a file per part, except for
//! benches, whose output is the result.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::process::log::Log;
use crate::report::Report;
use crate::{Outcome, files, project};

const LINES: usize = 12;

/// The finished parts of a job.
pub struct Parts {
    job: &'static str,
    quiet: bool,
    begin: Instant,
    done: Mutex<Vec<Part>>,
}

struct Part {
    name: String,
    seconds: f64,
    result: Outcome<Report>,
    log: Option<PathBuf>,
}

/// The part that `--only` names, or all.
///
/// # Errors
/// There is no such part.
pub fn chosen<'a, T>(
    all: &'a [T],
    only: Option<&str>,
    name: fn(&T) -> &str,
) -> Outcome<Vec<&'a T>> {
    let asked = |part: &&T| only.is_none_or(|only| only == name(part));
    let chosen: Vec<_> = all.iter().filter(asked).collect();
    match only {
        Some(only) if chosen.is_empty() => {
            let names: Vec<_> = all.iter().map(name).collect();
            Err(format!("there is no part `{only}`: {}", names.join(", ")))
        }
        _ => Ok(chosen),
    }
}

/// Runs the chosen parts of a list, one after another.
///
/// # Errors
/// There is no such part, or some failed.
pub fn run<R: Into<Report>>(
    job: &'static str,
    all: &[(&'static str, impl Fn() -> Outcome<R>)],
    only: Option<&str>,
) -> Outcome {
    let parts = Parts::new(job, true);
    for (name, part) in chosen(all, only, |(name, _)| name)? {
        parts.part(name, part);
    }
    parts.close()
}

impl Parts {
    /// Begins a job; `quiet` sends its output to files.
    pub fn new(job: &'static str, quiet: bool) -> Parts {
        Parts { job, quiet, begin: Instant::now(), done: Mutex::default() }
    }

    /// Runs one part, perhaps beside others; returns whether it is fine.
    pub fn part<R: Into<Report>>(&self, name: &str, job: impl FnOnce() -> Outcome<R>) -> bool {
        let begin = Instant::now();
        let path = project::target().join("log").join(self.job).join(format!("{name}.log"));
        println!("{name} …");
        let (result, log) = match self.quiet.then(|| Log::create(path)).transpose() {
            Err(error) => (Err(error), None),
            Ok(None) => (job(), None),
            Ok(Some(log)) => (log.during(job), Some(log.path().to_owned())),
        };
        let seconds = begin.elapsed().as_secs_f64();
        let part = Part { name: name.to_owned(), seconds, result: result.map(R::into), log };
        println!("{}", part.told());
        let fine = part.is_fine();
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        fine
    }

    /// Reports every part again if there are several, missing programs, and the sum; the error names the
    /// parts that failed.
    pub fn close(self) -> Outcome {
        let (job, parts) = (self.job, self.done.into_inner().unwrap_or_default());
        if parts.len() > 1 {
            println!("\n{job}:");
            parts.iter().for_each(|part| println!("{}", part.told()));
        }
        let mut sum = Report::default();
        parts.iter().flat_map(|part| &part.result).for_each(|report| sum += report);
        for (sentence, count) in &sum.not_run {
            println!("  {sentence}: {count} tests");
        }
        if sum.missing() > 0 {
            println!("  `cargo xtask setup-ci` installs what is missing on a Debian");
        }
        let failed = parts.iter().filter(|part| !part.is_fine()).map(|part| &*part.name);
        let failed: Vec<_> = failed.collect();
        let (fine, took) = (parts.len() - failed.len(), self.begin.elapsed().as_secs_f64());
        println!("  {fine} of {} parts are fine, {took:.1} s", parts.len());
        if sum.passed + sum.failed > 0 {
            let (passed, failed, skipped) = (sum.passed, sum.failed, sum.skipped);
            let missing = sum.missing();
            println!(
                "{job}: {passed} passed, {failed} failed, {skipped} skipped, {missing} not run"
            );
        }
        match failed.as_slice() {
            [] => Ok(()),
            names => Err(format!("{job}: {} failed", names.join(", "))),
        }
    }
}

impl Part {
    fn is_fine(&self) -> bool {
        self.result.as_ref().is_ok_and(Report::is_fine)
    }

    /// Its row; after a failure also the first failed test, and the log.
    fn told(&self) -> String {
        let (mark, line) = match &self.result {
            Err(error) => ("FAIL   ", error.trim_end().replace('\n', "\n            ")),
            Ok(report) if !report.is_fine() => ("FAIL   ", report.line()),
            Ok(report) if report.is_missing() => ("NOT RUN", report.line()),
            Ok(report) => ("ok     ", report.line()),
        };
        let mut row = format!("  {mark} {:17} {:>5.1} s  {line}", self.name, self.seconds);
        if self.is_fine() {
            return row;
        }
        if let Some(first) = self.result.as_ref().ok().and_then(|report| report.first.as_ref()) {
            row += &format!("\n            first: {first}");
        }
        if let Some(log) = &self.log {
            row += &end_of(log);
            row += &format!("\n            all of its output: {}", files::shown(log));
        }
        row
    }
}

fn end_of(log: &Path) -> String {
    let text = String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    shown.iter().map(|line| format!("\n            | {line}")).collect()
}

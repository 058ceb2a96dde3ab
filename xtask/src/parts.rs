//! The parts of a job: run, timed, shown while they run, and told at the end. Their output goes to a file
//! each; what a bench prints is what it is run for, and goes to the terminal.

use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::process::log::Log;
use crate::progress::Progress;
use crate::report::Report;
use crate::{Outcome, files, project};

/// One job's parts, as far as they ran.
pub struct Parts {
    job: &'static str,
    /// Whether their output goes to files.
    quiet: bool,
    progress: Progress,
    done: Mutex<Vec<Part>>,
}

struct Part {
    name: String,
    took: Duration,
    result: Outcome<Report>,
    log: Option<PathBuf>,
}

impl Parts {
    /// A job of so many parts, whose output goes to files.
    pub fn new(job: &'static str, count: usize) -> Parts {
        Parts { job, quiet: true, progress: Progress::new(count), done: Mutex::default() }
    }

    /// A job whose parts print what it is run for.
    pub fn shown(job: &'static str, count: usize) -> Parts {
        Parts { quiet: false, ..Parts::new(job, count) }
    }

    /// Runs one part, also beside others; whether it is fine.
    pub fn part<R: Into<Report>>(&self, name: &str, job: impl FnOnce() -> Outcome<R>) -> bool {
        let begin = Instant::now();
        let (result, log) = match self.quiet {
            false => {
                println!("\n== {name}");
                (job().map(R::into), None)
            }
            true => {
                let path = project::target().join("log").join(self.job).join(name);
                match Log::create(path.with_extension("log")) {
                    Err(error) => (Err(error), None),
                    Ok(log) => {
                        let _shown = self.progress.begin(name, log.path());
                        (log.during(job).map(R::into), Some(log.path().to_owned()))
                    }
                }
            }
        };
        let part = Part { name: name.to_owned(), took: begin.elapsed(), result, log };
        self.progress.end(&part.told());
        let fine = part.is_fine();
        self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(part);
        fine
    }

    /// As [`Parts::part`], for a job that cannot go on without it.
    ///
    /// # Errors
    /// It failed, which is told above.
    pub fn step(&self, name: &str, job: impl FnOnce() -> Outcome) -> Outcome {
        match self.part(name, || job().map(|()| "done".to_owned())) {
            true => Ok(()),
            false => Err(format!(
                "`cargo xtask {}` stopped at `{name}`; the next one goes on from there",
                self.job
            )),
        }
    }

    /// Runs lists of parts side by side, each list in its order.
    pub fn lanes<T: Sync>(&self, lanes: &[Vec<&T>], run: impl Fn(&T) + Sync) {
        thread::scope(|scope| {
            for lane in lanes {
                scope.spawn(|| lane.iter().for_each(|part| run(part)));
            }
        });
    }

    /// Tells every part again where more than one ran, with what is missing here and the sum over all; an
    /// error names the parts that failed.
    pub fn close(self) -> Outcome {
        let (job, parts) = (self.job, self.done.into_inner().unwrap_or_default());
        let mut sum = Report::default();
        if parts.len() > 1 {
            println!("\n{job}:");
            parts.iter().for_each(|part| println!("{}", part.told()));
        }
        for part in &parts {
            if let Ok(report) = &part.result {
                sum += report;
            }
        }
        for (sentence, count) in &sum.not_run {
            println!("  {sentence}: {count} tests");
        }
        if sum.missing() > 0 {
            println!("  `cargo xtask setup-ci` installs what is missing on a Debian");
        }
        let failed: Vec<_> =
            parts.iter().filter(|part| !part.is_fine()).map(|part| &*part.name).collect();
        let took = seconds(self.progress.elapsed());
        println!("  {} of {} parts are fine, {took}", parts.len() - failed.len(), parts.len());
        if sum.passed + sum.failed + sum.cancelled > 0 {
            // A test that its runner gave up has failed.
            let (passed, failed) = (sum.passed, sum.failed + sum.cancelled);
            let (skipped, missing) = (sum.skipped, sum.missing());
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
        self.result.as_ref().is_ok_and(|report| report.complaint().is_none())
    }

    /// Its row; below it, what failed first and where its output is.
    fn told(&self) -> String {
        let (mark, line) = match &self.result {
            Err(error) => ("FAIL   ", error.trim_end().replace('\n', "\n            ")),
            Ok(report) => match report.complaint() {
                Some("failed") => ("FAIL   ", report.line()),
                Some(why) => ("FAIL   ", why.to_owned()),
                None if report.is_missing() => ("NOT RUN", report.line()),
                None => ("ok     ", report.line()),
            },
        };
        let mut row = format!("  {mark} {:17} {:>7}  {line}", self.name, seconds(self.took));
        if !self.is_fine() {
            if let Some(first) = self.result.as_ref().ok().and_then(|report| report.first.as_ref())
            {
                row += &format!("\n            first: {first}");
            }
            if let Some(log) = &self.log {
                row += &crate::hints::about(log);
                row += &format!("\n            all of its output: {}", files::shown(log));
            }
        }
        row
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

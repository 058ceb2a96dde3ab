//! Output of verbs: lines for a person or, with `--json`, one JSON value for a program.

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use leafid_store::problem::Problem;
use serde_json::Value;

use super::Failure;

static ASKED: AtomicBool = AtomicBool::new(false);

pub fn ask_for_json() {
    ASKED.store(true, Ordering::Relaxed);
}

pub fn is_json() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Prints the value with `--json`, else the line.
pub fn show(value: &Value, line: impl std::fmt::Display) -> Result<(), Failure> {
    if is_json() { say(value) } else { say(line) }
}

/// Prints a line for a person, and nothing with `--json`.
pub fn remark(line: impl std::fmt::Display) -> Result<(), Failure> {
    if is_json() { Ok(()) } else { say(line) }
}

/// Prints a line to standard output, at once.
pub fn say(line: impl std::fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Failure::Output)
}

pub fn complain(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

pub fn problem(problem: &Problem) -> ExitCode {
    if is_json() {
        complain(problem.json());
    } else {
        complain(format_args!("leafid: {problem}"));
    }
    ExitCode::from(1)
}

/// The exit code once standard output cannot be written.
pub fn unwritten(error: &std::io::Error) -> ExitCode {
    // The reader closed it, as `head` does: the code that a shell gives for SIGPIPE.
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return ExitCode::from(141);
    }
    complain(format_args!(
        "leafid: cannot write to standard output: {error}; what was to be shown is not complete, \
         and what was done is done"
    ));
    ExitCode::from(1)
}

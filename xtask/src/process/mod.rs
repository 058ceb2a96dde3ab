//! Child processes: started in a clean environment, heard, and never left behind.

pub mod log;
mod mark;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::{Outcome, project};
use mark::Mark;

#[cfg(unix)]
pub use mark::end_all;

/// How long a child's descendants may take to end after it.
const GRACE: Duration = Duration::from_secs(5);

/// Whether cargo sets this variable for the program that it runs. A build script that watches one (`ring`'s
/// does) would be rebuilt whenever `cargo xtask …` and `cargo …` take turns.
fn leaks(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| name.starts_with(prefix))
        || ["CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR", "LD_LIBRARY_PATH"]
            .contains(&name)
}

/// A child process to start.
pub struct Run {
    command: Command,
    quiet: bool,
}

/// The output and success of a child.
pub struct Said {
    /// Whether its exit code was 0.
    pub success: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error; empty if that went to the terminal.
    pub stderr: String,
}

impl Run {
    /// Runs a program in the project's root.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        // On Windows npm is a script, which needs its whole name.
        let is_npm = cfg!(windows) && program.as_ref() == "npm";
        let program = if is_npm { OsStr::new("npm.cmd") } else { program.as_ref() };
        let mut command = Command::new(program);
        command.current_dir(project::root()).env(mark::VARIABLE, Mark::new().0);
        for (name, _) in std::env::vars_os().filter(|(name, _)| leaks(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        Self { command, quiet: false }
    }

    /// Runs `cargo` with this run's target folder.
    pub fn cargo(args: &[&str]) -> Self {
        Self::new("cargo").args(args).env("CARGO_TARGET_DIR", project::target())
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets its folder; by default the project's root.
    pub fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir);
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Hides the command.
    pub fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Runs it, with its output to [`log`]; fails if it fails.
    pub fn done(mut self) -> Outcome {
        self.show();
        let status = self.command.stdin(Stdio::null()).stdout(log::stdio()).stderr(log::stdio());
        let status = status.status().map_err(|error| self.cannot(&error))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", self.line())) }
    }

    /// Runs it silently; returns its standard output, or fails with all of its output.
    pub fn output(self) -> Outcome<String> {
        let line = self.line();
        let said = self.listen()?;
        match said.success {
            true => Ok(said.stdout),
            false => Err(format!("`{line}` failed:\n{}{}", said.stdout, said.stderr)),
        }
    }

    /// Runs it silently; returns its output even if it fails.
    pub fn listen(mut self) -> Outcome<Said> {
        self.show();
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| self.cannot(&error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Ok(Said { success: output.status.success(), stdout, stderr })
    }

    /// Runs it with its output to [`log`], and returns its standard output, too. Descendants left running are
    /// ended and named; after `LEAFID_LIMIT_SECONDS` all are ended, which is a failure.
    pub fn tee(self) -> Outcome<Said> {
        let limit = std::env::var("LEAFID_LIMIT_SECONDS").ok().map(|said| match said.parse() {
            Ok(seconds) => Ok(Duration::from_secs(seconds)),
            Err(_) => Err(format!("LEAFID_LIMIT_SECONDS is `{said}`: give whole seconds")),
        });
        self.within(limit.transpose()?)
    }

    fn within(mut self, limit: Option<Duration>) -> Outcome<Said> {
        self.show();
        let mark = Mark::new();
        self.command.env(mark::VARIABLE, &mark.0);
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log::stdio());
        let mut child = self.command.spawn().map_err(|error| self.cannot(&error))?;
        let (send, heard) = mpsc::channel();
        let pipe = child.stdout.take();
        thread::spawn(log::handed_on(move || {
            let lines = pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n'));
            for line in lines.map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                log::line(&line);
                let _ = send.send(line + "\n");
            }
        }));
        let ((done, ended), mark) = (mpsc::channel::<()>(), &mark);
        let (status, overdue) = thread::scope(|scope| {
            let late = move || match limit.map(|limit| ended.recv_timeout(limit)) {
                Some(Err(mpsc::RecvTimeoutError::Timeout)) => mark.end(Duration::ZERO),
                _ => String::new(),
            };
            let late = scope.spawn(late);
            let status = child.wait();
            drop(done);
            (status, late.join().unwrap_or_default())
        });
        if !overdue.is_empty() {
            let (line, seconds) = (self.line(), limit.unwrap_or_default().as_secs());
            return Err(format!(
                "`{line}` did not end within {seconds} s, and was ended:{overdue}"
            ));
        }
        let left = mark.end(GRACE);
        if !left.is_empty() {
            log::line(&format!("left running, and ended by xtask:{left}"));
        }
        // Does not wait for an unmarked process that keeps the pipe open and is silent.
        let mut stdout = String::new();
        while let Ok(line) = heard.recv_timeout(GRACE) {
            stdout += &line;
        }
        let success = status.map_err(|error| self.cannot(&error))?.success();
        Ok(Said { success, stdout, stderr: String::new() })
    }

    fn line(&self) -> String {
        let words = [self.command.get_program()].into_iter().chain(self.command.get_args());
        let shown = words.map(|word| project::shorten(&word.to_string_lossy()));
        shown.collect::<Vec<_>>().join(" ")
    }

    fn show(&self) {
        if !self.quiet {
            log::line(&format!("  $ {}", self.line()));
        }
    }

    fn cannot(&self, error: &std::io::Error) -> String {
        format!("`{}` does not start: {error}", self.command.get_program().to_string_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::Run;
    use std::time::Duration;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_child_leaves_does_not_hold_up_its_end() {
        let left = Run::new("sh").quiet().args(["-c", "sleep 1000 & echo said"]).tee();
        assert!(left.is_ok_and(|left| left.success && left.stdout == "said\n"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_that_does_not_end_is_ended_with_all_that_it_started() {
        let late = Run::new("sh").quiet().args(["-c", "setsid sleep 1000 & echo said; sleep 999"]);
        let error = late.within(Some(Duration::from_secs(1))).err().unwrap_or_default();
        assert!(error.contains("within 1 s"), "{error}");
        assert!(error.contains(" sleep 1000") && error.contains(" sleep 999"), "{error}");
    }
}

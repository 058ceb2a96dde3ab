//! Child processes: started in a clean environment, and heard.

pub mod log;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Outcome, files, project};

/// The codes with which `timeout` ends if time was up: for a program that ended by itself then, or did not.
const TIMED_OUT: i32 = 124;
const KILLED: i32 = 137;

/// Whether cargo sets this variable for the program that it runs. A build script that watches one (`ring`'s
/// does) would be rebuilt whenever `cargo xtask …` and `cargo …` take turns.
fn leaks(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| name.starts_with(prefix))
        || ["CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR", "LD_LIBRARY_PATH"]
            .contains(&name)
}

/// A command below coreutils' `timeout`.
fn within(seconds: &str, own: &Command) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", seconds]).arg(own.get_program()).args(own.get_args());
    command.current_dir(own.get_current_dir().unwrap_or(project::root()));
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
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
        command.current_dir(project::root());
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

    pub fn envs<S: AsRef<OsStr>>(
        mut self,
        all: impl IntoIterator<Item = (&'static str, S)>,
    ) -> Self {
        self.command.envs(all);
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

    /// Runs it with its output to [`log`], and returns that. After `LEAFID_LIMIT_SECONDS` it is ended with its
    /// process group, which is a failure.
    pub fn tee(mut self) -> Outcome<Said> {
        let Some(log) = log::current() else { return self.listen() };
        self.show();
        let (line, limit) = (self.line(), std::env::var("LEAFID_LIMIT_SECONDS").ok());
        if let Some(seconds) = &limit {
            self.command = within(seconds, &self.command);
        }
        let before = files::bytes(log.path())?.len();
        let status = self.command.stdin(Stdio::null()).stdout(log::stdio()).stderr(log::stdio());
        let status = status.status().map_err(|error| self.cannot(&error))?;
        let written = files::bytes(log.path())?.split_off(before);
        let stdout = String::from_utf8_lossy(&written).into_owned();
        match (limit, status.code()) {
            (Some(seconds), Some(TIMED_OUT | KILLED)) => {
                Err(format!("`{line}` did not end within {seconds} s, and was ended"))
            }
            _ => Ok(Said { success: status.success(), stdout, stderr: String::new() }),
        }
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
    use super::{Run, log::Log, within};
    use crate::project;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_child_leaves_does_not_hold_up_its_end() {
        let log = Log::create(project::target().join("xtask-tests/left.log")).unwrap();
        let left = Run::new("sh").quiet().args(["-c", "sleep 1000 & echo $! said"]);
        let left = log.during(|| left.tee()).unwrap();
        let (child, said) = left.stdout.split_once(' ').unwrap();
        assert!(left.success && said == "said\n", "{said}");
        Run::new("sh").args(["-c", "kill $0", child]).done().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_that_does_not_end_is_ended_with_its_group() {
        let late = Run::new("sh").args(["-c", "sleep 1000 & echo $!; sleep 999"]);
        let late = Run { command: within("1", &late.command), quiet: true };
        let said = late.listen().unwrap();
        assert!(!said.success);
        let process = format!("/proc/{}/cmdline", said.stdout.trim());
        let words = std::fs::read_to_string(process).unwrap_or_default();
        assert!(!words.contains("1000"), "{words}");
    }
}

//! Children: started in a clean environment, heard, and never left behind.

pub mod log;
mod started;
mod watch;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;
use crate::project;

pub use started::end_all;

/// What cargo sets for the program it runs. A build script that watches one of these (`ring`'s does)
/// would otherwise be rebuilt whenever `cargo xtask …` and `cargo …` take turns.
fn leaks(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| name.starts_with(prefix))
        || ["CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR", "LD_LIBRARY_PATH"]
            .contains(&name)
}

/// One child to start.
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    dir: PathBuf,
    env: Vec<(OsString, OsString)>,
    remove: Vec<OsString>,
    quiet: bool,
}

/// What a child that was listened to said, and whether it was content.
pub struct Said {
    /// Its exit code was 0.
    pub success: bool,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error; empty where that went straight to the terminal.
    pub stderr: String,
}

impl Run {
    /// A program, in the project's root.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            dir: project::root().to_owned(),
            env: Vec::new(),
            remove: Vec::new(),
            quiet: false,
        }
    }

    /// `cargo`, with the target folder that this run was given.
    pub fn cargo(args: &[&str]) -> Self {
        Self::new("cargo").args(args).env("CARGO_TARGET_DIR", project::target())
    }

    /// One more argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Another program, in the same surroundings.
    pub fn program(mut self, program: impl AsRef<OsStr>) -> Self {
        program.as_ref().clone_into(&mut self.program);
        self
    }

    /// Where it runs; the project's root unless said.
    pub fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        dir.as_ref().clone_into(&mut self.dir);
        self
    }

    /// A variable of its environment.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// A variable that it must not see.
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.remove.push(name.as_ref().to_owned());
        self
    }

    /// Does not show the command.
    pub fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Runs it, with its output where [`log`] says; its failure is ours.
    pub fn done(self) -> Outcome {
        let line = self.line();
        let status = self
            .command()
            .stdin(Stdio::null())
            .stdout(log::stdio())
            .stderr(log::stdio())
            .status()
            .map_err(|error| cannot_start(&self.program, &error))?;
        if status.success() { Ok(()) } else { Err(format!("`{line}` failed: {status}")) }
    }

    /// Runs it in silence; when it fails, the message carries what it said.
    pub fn output(self) -> Outcome<String> {
        let line = self.line();
        let said = self.listen()?;
        if said.success {
            return Ok(said.stdout);
        }
        Err(format!("`{line}` failed:\n{}{}", said.stdout, said.stderr))
    }

    /// Runs it in silence and gives back what it said, also when it failed.
    pub fn listen(self) -> Outcome<Said> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| cannot_start(&self.program, &error))?;
        Ok(Said {
            success: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs it with its output where [`log`] says, and gives back its standard output too. What it leaves
    /// running is ended; so is all of it after `LEAFID_LIMIT_SECONDS`, which is a failure.
    pub fn tee(self) -> Outcome<Said> {
        let mark = started::Mark::new();
        let mut child = self
            .command()
            .env(started::VARIABLE, mark.value())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log::stdio())
            .spawn()
            .map_err(|error| cannot_start(&self.program, &error))?;
        let (status, stdout) = watch::watch(&mut child, &mark, watch::limit()?)
            .map_err(|error| format!("`{}`: {error}", self.line()))?;
        Ok(Said { success: status.success(), stdout, stderr: String::new() })
    }

    /// The command as a user would type it.
    pub fn line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        let shown = words.map(|word| project::shorten(&word.to_string_lossy()));
        shown.collect::<Vec<_>>().join(" ")
    }

    fn command(&self) -> Command {
        if !self.quiet {
            log::line(&format!("  $ {}", self.line()));
        }
        let mut command = Command::new(startable(&self.program));
        command.args(&self.args).current_dir(&self.dir);
        command.env(started::VARIABLE, started::OURS.as_str());
        for (name, _) in std::env::vars_os() {
            if leaks(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        for name in &self.remove {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// npm is a script, and Windows starts scripts only by their whole names.
fn startable(program: &OsStr) -> &OsStr {
    if cfg!(windows) && program == "npm" { OsStr::new("npm.cmd") } else { program }
}

fn cannot_start(program: &OsStr, error: &std::io::Error) -> String {
    format!("`{}` does not start: {error}", program.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::started::{self, Mark};
    use super::{Run, leaks, watch};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    fn cargos_own_variables_do_not_reach_children() {
        assert!(leaks("CARGO_PKG_VERSION") && leaks("CARGO_MANIFEST_DIR") && leaks("OUT_DIR"));
        assert!(!leaks("CARGO_HOME") && !leaks("CARGO_TARGET_DIR") && !leaks("PATH"));
        // `cargo test` gave this very process what `leaks` names.
        let seen = Run::new("env").quiet().output().expect("`env` runs");
        assert!(!seen.lines().any(|line| line.starts_with("CARGO_PKG_VERSION=")));
    }

    #[test]
    fn a_failure_carries_what_was_said() {
        let failed = Run::new("sh").quiet().args(["-c", "echo why; exit 3"]).output();
        assert!(failed.expect_err("it exits with 3").contains("why"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_child_leaves_does_not_hold_up_its_end() {
        let left = Run::new("sh").quiet().args(["-c", "sleep 1000 & echo said"]).tee();
        assert!(left.is_ok_and(|left| left.success && left.stdout == "said\n"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_that_does_not_end_is_ended_with_all_that_it_started() {
        let mark = Mark::new();
        let mut child = Command::new("sh")
            .args(["-c", "sleep 1000 & echo said; sleep 1000"])
            .env(started::VARIABLE, mark.value())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`sh` starts");
        let asleep = || {
            let all = mark.processes();
            all.iter().filter(|process| process.to_string().ends_with(" sleep 1000")).count()
        };
        let begin = Instant::now();
        while asleep() < 2 && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let late = watch::watch(&mut child, &mark, Some(Duration::from_secs(1)));
        let error = late.expect_err("it is late");
        assert!(error.contains("within 1 s") && error.contains("sleep 1000"), "{error}");
        assert!(mark.processes().is_empty());
    }
}

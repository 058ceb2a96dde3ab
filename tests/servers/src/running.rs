//! The common part of all servers: a folder, a port, settings, and a process while they run.

use std::path::Path;
use std::process::Command;

use leafid_stream::child::Child;
use leafid_stream::port::Port;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::process::LIMIT;

/// A server's folder and port, and its process while it runs, which ends when this value is dropped.
pub struct Running {
    // Dropped in this order: the process must end before its folder is removed and its port freed.
    process: Option<Child>,
    folder: TempDir,
    port: Port,
    pub(crate) settings: Vec<String>,
}

impl Running {
    /// An empty folder and a free port, with nothing started.
    pub fn nothing_yet() -> Result<Running, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Running { folder, port: Port::take()?, settings: Vec::new(), process: None })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn port(&self) -> u16 {
        self.port.number()
    }

    pub fn set(&mut self, settings: &[&str]) {
        self.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
    }

    pub fn end(&mut self, signal: Signal) -> Result<(), String> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        process.ask_to_end(signal);
        process.wait(LIMIT).map(drop)
    }

    pub fn kill(&mut self) {
        // Dropping the process kills it.
        self.process = None;
    }
}

/// Gives access to a server's common part.
macro_rules! running {
    () => {
        fn running(&self) -> &Running {
            &self.running
        }

        fn running_mut(&mut self) -> &mut Running {
            &mut self.running
        }
    };
}
pub(crate) use running;

/// The differences between servers.
pub trait Kind: Sized {
    /// The signal for an orderly end.
    const END: Signal = Signal::TERM;

    /// Makes an empty server, without starting it.
    fn make() -> Result<Self, String>;

    fn running(&self) -> &Running;
    fn running_mut(&mut self) -> &mut Running;

    fn command(&self) -> Result<Command, String>;

    /// Whether it answers; `said` has the last lines of its output.
    fn answers(&self, said: &str) -> bool;

    fn spawn(&mut self) -> Result<(), String> {
        let command = self.command()?;
        let name = command.get_program().to_string_lossy().into_owned();
        let process = Child::start(&name, command, |_| ());
        self.running_mut().process = Some(process.map_err(|error| format!("`{name}`: {error}"))?);
        Ok(())
    }

    /// Waits until it answers; ends it if it does not.
    fn wait(&mut self) -> Result<(), String> {
        let mut process = self.running_mut().process.take().ok_or("it was not started")?;
        process.wait_until(LIMIT, |said| self.answers(said))?;
        self.running_mut().process = Some(process);
        Ok(())
    }

    /// Starts it, and waits until it answers.
    fn launch(&mut self) -> Result<(), String> {
        self.spawn()?;
        self.wait()
    }
}

//! What all servers have in common: a folder, a port, settings, and a process while they run.

use std::path::Path;
use std::process::Command;

use leafid_stream::child::Child;
use leafid_stream::port::Port;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::process::LIMIT;

/// A server's folder and port, and its process while it runs. It ends with this value.
pub struct Running {
    // In the order in which they go: nobody writes into the folder that is removed, nor listens on the
    // port that is let go.
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
        // It is killed as it is dropped.
        self.process = None;
    }
}

/// Where a server has what it has in common with the others.
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

/// In what one server differs from another.
pub trait Kind: Sized {
    /// The signal on which it ends in order.
    const END: Signal = Signal::TERM;

    /// Makes an empty server, without starting it.
    fn make() -> Result<Self, String>;

    fn running(&self) -> &Running;
    fn running_mut(&mut self) -> &mut Running;

    fn command(&self) -> Result<Command, String>;

    /// Whether it answers; `said` are the last lines that it wrote.
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

//! What all servers have in common: a folder, a port, settings, and a process while they run.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::port::Port;
use crate::process::{LIMIT, Process};

/// A server's folder and port, and its process while it runs. It ends with this value.
pub struct Running {
    // In the order in which they go: nobody writes into the folder that is removed, nor listens on the
    // port that is let go.
    process: Option<Process>,
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

    pub fn take_port(&mut self) -> Result<(), String> {
        self.port = Port::take()?;
        Ok(())
    }

    pub fn set(&mut self, settings: &[&str]) {
        self.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
    }

    pub fn end(&mut self, signal: Signal) -> Result<(), String> {
        self.process.take().map_or(Ok(()), |mut process| process.end(signal).map(|_| ()))
    }

    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }
}

/// Whether another process has the port of a server that said this.
pub fn is_taken(said: &str) -> bool {
    said.to_lowercase().contains("address already in use")
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

    fn answers(&self) -> bool;

    /// Takes other ports, before it was ever started.
    fn move_ports(&mut self) -> Result<(), String> {
        self.running_mut().take_port()
    }

    fn spawn(&mut self) -> Result<(), String> {
        let command = self.command()?;
        let log = self.running().folder().join("log");
        self.running_mut().process = Some(Process::start(command, &log)?);
        Ok(())
    }

    /// Waits until it answers; ends it if it does not.
    fn wait(&mut self) -> Result<(), String> {
        let mut process = self.running_mut().process.take().ok_or("it was not started")?;
        process.wait_until(|| self.answers())?;
        self.running_mut().process = Some(process);
        Ok(())
    }

    /// Starts it, and waits until it answers.
    fn launch(&mut self) -> Result<(), String> {
        self.spawn()?;
        self.wait()
    }

    /// As [`Kind::launch`], also where somebody has its port for a moment.
    fn launch_again(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.launch() {
                Err(said) if is_taken(&said) && Instant::now() < deadline => {}
                done => return done,
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

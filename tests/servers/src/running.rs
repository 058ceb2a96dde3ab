//! The common part of all servers: a folder, a port, settings, and a process while they run.

use leafid_stream::child::Child;
use leafid_stream::port::Port;
use tempfile::TempDir;

/// A server's folder and port, and its process while it runs, which ends when this value is dropped.
pub struct Running {
    // Dropped in this order: the process must end before its folder is removed and its port freed.
    pub(crate) process: Option<Child>,
    pub(crate) folder: TempDir,
    pub(crate) port: Port,
    pub(crate) settings: Vec<String>,
}

impl Running {
    /// An empty folder and a free port, with nothing started.
    pub fn nothing_yet() -> Result<Running, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Running { folder, port: Port::take()?, settings: Vec::new(), process: None })
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

//! What a program writes to a pipe.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::until;

/// The output of a pipe, read as it comes, so that the writer is never blocked.
pub struct Heard {
    said: Arc<Mutex<Vec<u8>>>,
    listens: JoinHandle<()>,
}

impl Heard {
    pub fn of(pipe: Option<impl Read + Send + 'static>) -> Heard {
        let said = Arc::new(Mutex::new(Vec::new()));
        let (mut pipe, hears) = (pipe.expect("a pipe"), Arc::clone(&said));
        let listens = std::thread::spawn(move || {
            let mut part = [0; 4_096];
            while let Ok(read @ 1..) = pipe.read(&mut part) {
                let mut said = hears.lock().unwrap_or_else(PoisonError::into_inner);
                said.extend_from_slice(&part[..read]);
            }
        });
        Heard { said, listens }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Whether all writers have closed the pipe and everything was read.
    pub fn is_over(&self) -> bool {
        self.listens.is_finished()
    }

    /// Waits until the pipe is read to its end, with a limit: another process may hold it open.
    pub fn to_the_end(&self) {
        until(|| self.is_over().then_some(()));
    }
}

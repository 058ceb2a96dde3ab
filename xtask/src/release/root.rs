//! Servers that have another folder for their root, as a container has, or another user.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::process::Run;

/// A server that does not outlive this process.
pub struct Server(Child);

impl Server {
    /// Starts it, and waits until it says that it listens.
    pub fn start(mut command: Command) -> Outcome<Server> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let program = command.get_program().to_string_lossy().into_owned();
        let mut server = Server(child.map_err(|error| format!("`{program}`: {error}"))?);
        let out = server.0.stdout.take().ok_or("no pipe")?;
        let mut said = Vec::new();
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let listens = line.starts_with("leafid: listening on ");
            said.push(line);
            if listens {
                return Ok(server);
            }
        }
        Err(format!(
            "the store does not listen; what it says of that is above. {}",
            said.join("; ")
        ))
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) -> Outcome {
        Run::new("kill").quiet().args([&format!("-{name}"), &self.0.id().to_string()]).done()
    }

    /// Ends it as an engine does, within what an engine waits before it kills.
    pub fn stop(&mut self) -> Outcome {
        self.signal("TERM")?;
        let end = Instant::now() + Duration::from_secs(10);
        let status = wait_for(end, || self.0.try_wait().map_err(|error| error.to_string()))?;
        match status {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(format!("the store did not end well on SIGTERM: {status}")),
            None => Err("the store did not end within 10 s of SIGTERM".to_owned()),
        }
    }
}

fn wait_for(
    end: Instant,
    mut look: impl FnMut() -> Outcome<Option<ExitStatus>>,
) -> Outcome<Option<ExitStatus>> {
    loop {
        let found = look()?;
        if found.is_some() || Instant::now() > end {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What is there in the end, if it comes within half a minute.
pub fn in_the_end<T>(look: impl Fn() -> Outcome<T>) -> Outcome<T> {
    let begun = Instant::now();
    loop {
        let found = look();
        if found.is_ok() || begun.elapsed().as_secs() > 30 {
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An address that was free a moment ago.
pub fn free_address() -> Outcome<String> {
    let bound = std::net::TcpListener::bind("127.0.0.1:0").and_then(|bound| bound.local_addr());
    bound.map(|address| address.to_string()).map_err(|error| error.to_string())
}

/// Where a file of a volume lies below a root.
pub fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

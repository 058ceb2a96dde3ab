//! A child that is shown and heard: it ends in time, and so does all that it started.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::log;
use super::started::{Mark, Process};
use crate::Outcome;

/// How long what a child started may take to end after it.
const GRACE: Duration = Duration::from_secs(5);

/// How long a child may take: as `LEAFID_LIMIT_SECONDS` says, or as it likes.
pub fn limit() -> Outcome<Option<Duration>> {
    let Ok(said) = std::env::var("LEAFID_LIMIT_SECONDS") else { return Ok(None) };
    let seconds = said
        .parse()
        .map_err(|_| format!("LEAFID_LIMIT_SECONDS is `{said}`: give whole seconds"))?;
    Ok(Some(Duration::from_secs(seconds)))
}

/// Waits for a child and shows what it says; gives back how it ended, and what it said. What it left
/// running is ended and named, so that a part which fails cannot hold up those after it.
///
/// # Errors
/// It did not end within the limit: it was ended, and what ran then is named.
pub fn watch(
    child: &mut Child,
    mark: &Mark,
    limit: Option<Duration>,
) -> Outcome<(ExitStatus, String)> {
    let heard = child.stdout.take().map(Heard::listen);
    let (status, overdue) = wait(child, mark, limit)?;
    if overdue.is_empty() {
        let left = leave(mark);
        if !left.is_empty() {
            log::line(&format!("left running, and ended by xtask:{}", list(&left)));
        }
    }
    let said = heard.map(Heard::finish).unwrap_or_default();
    if overdue.is_empty() {
        return Ok((status, said));
    }
    let seconds = limit.unwrap_or_default().as_secs();
    Err(format!(
        "it did not end within {seconds} s, and was ended; what ran then:{}",
        list(&overdue)
    ))
}

/// Waits for a child; gives back how it ended, and what of it had to be ended after the limit.
fn wait(
    child: &mut Child,
    mark: &Mark,
    limit: Option<Duration>,
) -> Outcome<(ExitStatus, Vec<Process>)> {
    let (done, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let late = scope.spawn(move || match limit.map(|limit| ended.recv_timeout(limit)) {
            Some(Err(RecvTimeoutError::Timeout)) => mark.end(),
            _ => Vec::new(),
        });
        let status = child.wait().map_err(|error| format!("cannot wait for it: {error}"));
        drop(done);
        Ok((status?, late.join().unwrap_or_default()))
    })
}

/// Ends what a child left, after it had time to end by itself.
fn leave(mark: &Mark) -> Vec<Process> {
    let begin = Instant::now();
    while begin.elapsed() < GRACE {
        if mark.processes().is_empty() {
            return Vec::new();
        }
        thread::sleep(Duration::from_millis(50));
    }
    mark.end()
}

fn list(processes: &[Process]) -> String {
    processes.iter().map(|process| format!("\n  {process}")).collect()
}

/// What a child says, shown as it comes.
struct Heard {
    said: Arc<Mutex<String>>,
    closed: Receiver<()>,
}

impl Heard {
    fn listen(pipe: impl Read + Send + 'static) -> Self {
        let (close, closed) = mpsc::channel();
        let said = Arc::new(Mutex::new(String::new()));
        let (heard, log) = (Arc::clone(&said), log::current());
        let listen = move || {
            for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                log::line(&line);
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                heard.push_str(&line);
                heard.push('\n');
            }
            drop(close);
        };
        thread::spawn(move || match log {
            Some(log) => log.during(listen),
            None => listen(),
        });
        Self { said, closed }
    }

    /// All that was said, once nobody can say more; a process without the mark that keeps the pipe open
    /// is not waited for.
    fn finish(self) -> String {
        if self.closed.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
            log::line("its output is still open: a process that it started has not ended");
        }
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

//! Standard error of a server, written by a thread of its own. An unread pipe is full after
//! 64 KB: the next line would block its writer for ever, and with it the thread that takes the store's
//! turns, or every request.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Bytes that wait to be written at most; further lines are dropped.
const WAITING: usize = 256 << 10;
/// How long an ending process waits for its last lines to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub struct Lines {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Box<[u8]>>,
    /// Their bytes.
    bytes: usize,
    /// Whether one is being written.
    writing: bool,
    left_out: u64,
}

impl Lines {
    pub const fn new() -> Lines {
        let state = State { waiting: VecDeque::new(), bytes: 0, writing: false, left_out: 0 };
        Lines { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn write_to(&self, mut out: impl Write) -> ! {
        let mut told = 0;
        loop {
            let (line, left_out) = self.next();
            // If standard error is closed, the line is lost.
            let _ = out.write_all(&line).and_then(|()| out.flush());
            self.state().writing = false;
            self.changed.notify_all();
            if left_out > told {
                told = left_out;
                tracing::warn!(
                    left_out,
                    "standard error was not read in time: so many lines of the log were left out \
                     since the start"
                );
            }
        }
    }

    /// Waits until everything is written, a second at most.
    pub fn flush(&self) {
        let busy = |state: &mut State| state.writing || !state.waiting.is_empty();
        let _ = self.changed.wait_timeout_while(self.state(), PATIENCE, busy);
    }

    /// Takes the next line to write, and how many were dropped so far.
    fn next(&self) -> (Box<[u8]>, u64) {
        let mut state = self.state();
        loop {
            if let Some(line) = state.waiting.pop_front() {
                state.bytes -= line.len();
                state.writing = true;
                return (line, state.left_out);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Each call is one line, and never blocks.
impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        if state.bytes + line.len() <= WAITING {
            state.bytes += line.len();
            state.waiting.push_back(line.into());
            self.changed.notify_all();
        } else {
            state.left_out += 1;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'l> MakeWriter<'l> for &'static Lines {
    type Writer = &'l Lines;

    fn make_writer(&'l self) -> &'l Lines {
        self
    }
}

//! What a person sees while parts run: on a terminal a line that renews itself, elsewhere a line per part.

use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Progress of a job: the running parts and the total.
pub struct Progress {
    state: Arc<Mutex<State>>,
    begin: Instant,
}

struct State {
    count: usize,
    ended: usize,
    running: Vec<Running>,
    /// Whether the line that renews itself stands on the terminal now.
    standing: bool,
}

struct Running {
    name: String,
    since: Instant,
    log: PathBuf,
}

/// A part that runs until this is dropped.
pub struct Shown {
    state: Arc<Mutex<State>>,
    name: String,
}

impl Progress {
    /// Nothing runs yet.
    pub fn new(count: usize) -> Progress {
        let state = State { count, ended: 0, running: Vec::new(), standing: false };
        let state = Arc::new(Mutex::new(state));
        if stdout().is_terminal() {
            let renewed = Arc::downgrade(&state);
            thread::spawn(move || {
                while let Some(state) = renewed.upgrade() {
                    lock(&state).draw();
                    drop(state);
                    thread::sleep(Duration::from_millis(200));
                }
            });
        }
        Progress { state, begin: Instant::now() }
    }

    /// A part begins.
    pub fn begin(&self, name: &str, log: &Path) -> Shown {
        let mut state = lock(&self.state);
        if state.running.is_empty() && !stdout().is_terminal() {
            println!("[{}/{}] {name} …", state.ended + 1, state.count);
        }
        let running = Running { name: name.to_owned(), since: Instant::now(), log: log.to_owned() };
        state.running.push(running);
        Shown { state: Arc::clone(&self.state), name: name.to_owned() }
    }

    /// A part has ended, with this row.
    pub fn end(&self, row: &str) {
        let mut state = lock(&self.state);
        state.ended += 1;
        state.clear();
        println!("{row}");
    }

    /// Since its beginning.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        if let Some(at) = state.running.iter().position(|running| running.name == self.name) {
            state.running.remove(at);
        }
        state.clear();
    }
}

impl State {
    fn draw(&mut self) {
        let Some(first) = self.running.first() else { return };
        let names = self
            .running
            .iter()
            .map(|one| format!("{} {} s", one.name, one.since.elapsed().as_secs()));
        let names: Vec<_> = names.collect();
        let text = format!(
            "[{}/{}] {}  {}",
            self.ended + 1,
            self.count,
            names.join(", "),
            last_line(&first.log)
        );
        // Cut, not wrapped: else the next one stands elsewhere.
        print!("\r\x1b[?7l{text}\x1b[K\x1b[?7h");
        let _ = stdout().flush();
        self.standing = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.standing) {
            print!("\r\x1b[K");
        }
    }
}

/// The last line of a log, cut for a terminal.
fn last_line(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(2_000)..]).into_owned();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    last.trim().chars().filter(|letter| !letter.is_control()).take(120).collect()
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

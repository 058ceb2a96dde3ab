//! What a child has started, and what that has started: found by a mark in the environment, named, and ended.

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(unix)]
use rustix::process::Signal;

/// The variable that every process below a child inherits.
pub const VARIABLE: &str = "LEAFID_XTASK_CHILD";

/// Common prefix of the marks of this run's children; unwatched children carry only the prefix.
pub static OURS: LazyLock<String> = LazyLock::new(|| format!("{}-", std::process::id()));

/// One child's mark: no other child of any run has it.
pub struct Mark(String);

/// A process that has a mark.
pub struct Process {
    id: u32,
    line: String,
}

impl Mark {
    /// A new one.
    pub fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        // Never the beginning of another mark.
        Self(format!("{}{}.", OURS.as_str(), LAST.fetch_add(1, Ordering::Relaxed)))
    }

    /// What the variable says.
    pub fn value(&self) -> &str {
        &self.0
    }

    /// The processes that have it now; none where the system has no `/proc`.
    pub fn processes(&self) -> Vec<Process> {
        let wanted = format!("{VARIABLE}={}", self.0);
        let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
        let ids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let marked = ids.filter(|id: &u32| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|variable| variable.starts_with(wanted.as_bytes()))
        });
        marked.map(|id| Process { id, line: line(id) }).collect()
    }

    /// Ends them all, and gives back which there were.
    pub fn end(&self) -> Vec<Process> {
        let mut ended: Vec<Process> = Vec::new();
        // One that starts another while it is looked for is met in the next round.
        for _ in 0..100 {
            let found = self.processes();
            if found.is_empty() {
                break;
            }
            for process in found {
                signal(process.id, Signal::KILL);
                if ended.iter().all(|known| known.id != process.id) {
                    ended.push(process);
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        ended
    }
}

/// Ends every child of this run, and all that they started: asked first, so that each tidies up.
pub fn end_all() {
    let all = Mark(OURS.clone());
    for process in all.processes() {
        signal(process.id, Signal::TERM);
    }
    for _ in 0..100 {
        if all.processes().is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
    all.end();
}

impl fmt::Display for Process {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.id, self.line)
    }
}

fn line(id: u32) -> String {
    let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&words).replace('\0', " ");
    line.trim_end().chars().take(200).collect()
}

#[cfg(unix)]
fn signal(id: u32, signal: Signal) {
    let id = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        // One that has ended meanwhile is what was wanted.
        let _ = rustix::process::kill_process(id, signal);
    }
}

/// Windows has no `/proc`, so no process is found there.
#[cfg(not(unix))]
enum Signal {
    TERM,
    KILL,
}

#[cfg(not(unix))]
fn signal(_: u32, _: Signal) {}

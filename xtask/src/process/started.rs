//! What a child has started, and what that has started: found by a mark in the environment, named, and ended.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable that every process below a child inherits.
pub const VARIABLE: &str = "LEAFID_XTASK_CHILD";

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
        Self(format!("{}-{}", std::process::id(), LAST.fetch_add(1, Ordering::Relaxed)))
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
            environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
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
                kill(process.id);
                if ended.iter().all(|known| known.id != process.id) {
                    ended.push(process);
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        ended
    }
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
fn kill(id: u32) {
    let id = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        // One that has ended meanwhile is what was wanted.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_: u32) {}

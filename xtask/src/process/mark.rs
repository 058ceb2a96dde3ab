//! Finds and ends a child's descendants by a mark in their environment. A process group would miss a server
//! that makes a group of its own.

use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The variable that every process below a child inherits.
pub const VARIABLE: &str = "LEAFID_XTASK_CHILD";

/// The common prefix of this run's marks.
static OURS: LazyLock<String> = LazyLock::new(|| format!("{}-", std::process::id()));

/// One child's mark, or the prefix of all.
pub struct Mark(pub String);

impl Mark {
    /// A new mark: unique among all runs, and no prefix of another.
    pub fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Self(format!("{}{}.", *OURS, LAST.fetch_add(1, Ordering::Relaxed)))
    }

    /// The processes with the mark, each with its command; none on systems without `/proc`.
    pub fn processes(&self) -> Vec<(i32, String)> {
        let wanted = format!("{VARIABLE}={}", self.0);
        let read = |id: i32, name: &str| std::fs::read(format!("/proc/{id}/{name}"));
        let has = |id: &i32| {
            let environment = read(*id, "environ").unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|one| one.starts_with(wanted.as_bytes()))
        };
        let line = |id| {
            let words = read(id, "cmdline").unwrap_or_default();
            String::from_utf8_lossy(&words)
                .replace('\0', " ")
                .trim_end()
                .chars()
                .take(200)
                .collect()
        };
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(has).map(|id| (id, line(id))).collect()
    }

    /// Waits for the processes to end, then ends them; returns those that it ended, as lines.
    pub fn end(&self, grace: Duration) -> String {
        let begin = Instant::now();
        let mut ended = String::new();
        loop {
            let found = self.processes();
            if found.is_empty() || begin.elapsed() > 2 * grace + Duration::from_secs(2) {
                return ended;
            }
            // A process that was started during the search is found in the next round.
            if begin.elapsed() >= grace {
                for (id, line) in found {
                    signal(id, "-KILL");
                    let line = format!("\n  {id} {line}");
                    ended += if ended.contains(&line) { "" } else { &line };
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Ends all descendants of this run: first by SIGTERM, so that each cleans up.
pub fn end_all() {
    let all = Mark(OURS.clone());
    for (id, _) in all.processes() {
        signal(id, "-TERM");
    }
    all.end(Duration::from_secs(3));
}

fn signal(id: i32, name: &str) {
    // The shell's builtin, since a bare machine has no program `kill`. A process that is gone already is
    // fine.
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill \"$0\" \"$1\"", name, &id.to_string()]);
    drop(kill.stderr(Stdio::null()).status());
}

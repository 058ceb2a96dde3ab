//! What a child has started, and what that has started: found by a mark in the environment, and ended. A
//! group of processes would lose a server that makes one of its own.

use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The variable that every process below a child inherits.
pub const VARIABLE: &str = "LEAFID_XTASK_CHILD";

/// How the marks of all children of this run begin.
static OURS: LazyLock<String> = LazyLock::new(|| format!("{}-", std::process::id()));

/// One child's mark, or the beginning that all have.
pub struct Mark(pub String);

impl Mark {
    /// A new one. No other child of any run has it, and it is the beginning of no other.
    pub fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Self(format!("{}{}.", *OURS, LAST.fetch_add(1, Ordering::Relaxed)))
    }

    /// The processes that have it now, each with its command; none where the system has no `/proc`.
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

    /// Waits for them to end, then ends them; gives back which there were, as lines.
    pub fn end(&self, grace: Duration) -> String {
        let begin = Instant::now();
        let mut ended = String::new();
        loop {
            let found = self.processes();
            if found.is_empty() || begin.elapsed() > 2 * grace + Duration::from_secs(2) {
                return ended;
            }
            // One that starts another while it is looked for is met in the next round.
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

/// Ends every child of this run, and all that they started: asked first, so that each tidies up.
pub fn end_all() {
    let all = Mark(OURS.clone());
    for (id, _) in all.processes() {
        signal(id, "-TERM");
    }
    all.end(Duration::from_secs(3));
}

fn signal(id: i32, name: &str) {
    // The shell's own: a bare machine has no program of that name. One that has ended meanwhile is what
    // was wanted.
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill \"$0\" \"$1\"", name, &id.to_string()]);
    drop(kill.stderr(Stdio::null()).status());
}

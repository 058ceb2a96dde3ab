//! What the process takes of its machine, where that can be read.

/// Figures of this process. What this machine does not tell is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Process {
    /// Memory in use, in bytes.
    pub memory: Option<u64>,
    /// Open files and sockets.
    pub files: Option<u64>,
    /// How many there may be.
    pub most_files: Option<u64>,
    /// Threads.
    pub threads: Option<u64>,
    /// Time on processors, in seconds.
    pub cpu: Option<f64>,
    /// When it started, in seconds since 1970.
    pub started: Option<f64>,
}

impl Process {
    /// As it is now.
    #[cfg(target_os = "linux")]
    pub fn now() -> Process {
        linux::now()
    }

    /// As it is now: nothing is told here.
    #[cfg(not(target_os = "linux"))]
    pub fn now() -> Process {
        Process::default()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use super::Process;

    /// Of a field of `/proc/self/stat`, counted from the state, which is the first after the name.
    fn stat(text: &str, field: usize) -> Option<f64> {
        // The name may have blanks and braces in it.
        let (_, fields) = text.rsplit_once(')')?;
        fields.split_whitespace().nth(field)?.parse().ok()
    }

    pub fn now() -> Process {
        let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).ok();
        let (status, stat_line, limits) = (read("status"), read("stat"), read("limits"));
        let of_status = |field: &str| -> Option<u64> {
            let line = status.as_ref()?.lines().find_map(|line| line.strip_prefix(field))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let most_files = limits.and_then(|limits| {
            let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
            line.split_whitespace().next()?.parse().ok()
        });
        let per_second = rustix::param::clock_ticks_per_second() as f64;
        let ticks = |field| Some(stat(stat_line.as_ref()?, field)? / per_second);
        let booted = fs::read_to_string("/proc/stat").ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse::<f64>().ok()
        });
        Process {
            memory: of_status("VmRSS:").map(|kib| kib.saturating_mul(1_024)),
            // The folder itself is open meanwhile.
            files: fs::read_dir("/proc/self/fd").ok().map(|all| (all.count() as u64).max(1) - 1),
            most_files,
            threads: of_status("Threads:"),
            cpu: ticks(11).zip(ticks(12)).map(|(user, system)| user + system),
            started: booted.zip(ticks(19)).map(|(booted, after)| booted + after),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn this_process_is_measured() {
            let seen = now();
            assert!(seen.memory.is_some_and(|bytes| bytes > 100_000), "{seen:?}");
            assert!(seen.files.is_some_and(|files| files >= 3), "{seen:?}");
            assert!(seen.most_files >= seen.files, "{seen:?}");
            assert!(seen.threads.is_some_and(|threads| threads >= 1), "{seen:?}");
            assert!(seen.cpu.is_some_and(|seconds| seconds >= 0.0), "{seen:?}");
            let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let now = clock.unwrap().as_secs_f64();
            let age = now - seen.started.unwrap();
            assert!((-2.0..86_400.0).contains(&age), "{age}");
        }
    }
}

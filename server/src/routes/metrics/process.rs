//! Resources of the process, under the names that all exporters use.

#[cfg(target_os = "linux")]
pub fn figures() -> Vec<(&'static str, f64)> {
    use std::fs;

    /// The number that follows this in a line.
    fn after(text: &str, field: &str) -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(field))?;
        line.split_whitespace().next()?.parse().ok()
    }

    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (status, stat) = (read("/proc/self/status"), read("/proc/self/stat"));
    // The process name before it may have blanks and parentheses.
    let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    let seconds = |field| {
        let ticks: Option<f64> = fields.split_whitespace().nth(field)?.parse().ok();
        Some(ticks? / per_second)
    };
    let files = fs::read_dir("/proc/self/fd").ok();
    let cpu = seconds(11).zip(seconds(12)).map(|(user, system)| user + system);
    let started = after(&read("/proc/stat"), "btime ").zip(seconds(19));
    [
        ("process_resident_memory_bytes", after(&status, "VmRSS:").map(|kib| kib * 1_024.0)),
        // Reading the folder holds one open itself.
        ("process_open_fds", files.map(|all| all.count().saturating_sub(1) as f64)),
        ("process_max_fds", after(&read("/proc/self/limits"), "Max open files")),
        ("process_threads", after(&status, "Threads:")),
        ("process_cpu_seconds_total", cpu),
        ("process_start_time_seconds", started.map(|(booted, after)| booted + after)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

#[cfg(not(target_os = "linux"))]
pub fn figures() -> Vec<(&'static str, f64)> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn this_process_is_measured() {
        let seen: BTreeMap<_, _> = figures().into_iter().collect();
        assert_eq!(seen.len(), 6, "{seen:?}");
        let is = |name, least| assert!(seen[name] >= least, "{name}: {seen:?}");
        is("process_resident_memory_bytes", 100_000.0);
        is("process_open_fds", 3.0);
        is("process_max_fds", seen["process_open_fds"]);
        is("process_threads", 1.0);
        is("process_cpu_seconds_total", 0.0);
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let age = clock.unwrap().as_secs_f64() - seen["process_start_time_seconds"];
        assert!((-2.0..86_400.0).contains(&age), "{age}");
    }
}

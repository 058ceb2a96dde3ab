//! Which core runs what, and how much of it a process has had.

use std::time::Duration;

use crate::Outcome;

/// Keeps this thread, and all that it starts from now on, on one core. Whether it could.
#[cfg(target_os = "linux")]
pub fn pin(core: usize) -> bool {
    use std::sync::LazyLock;

    use rustix::thread::{CpuSet, sched_setaffinity};
    // Asked once: a thread that is on one core counts no others.
    static SEVERAL: LazyLock<bool> =
        LazyLock::new(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1));
    if !*SEVERAL && core == 0 {
        return false;
    }
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).is_ok()
}

/// There is no such thing here.
#[cfg(not(target_os = "linux"))]
pub fn pin(_: usize) -> bool {
    false
}

/// The time that a process's threads have had of the processors: to the ns where the kernel says so, else
/// in steps of 10 ms.
#[cfg(target_os = "linux")]
pub fn time_of(process: u32) -> Outcome<Duration> {
    match threads_of(process) {
        Some(time) => Ok(time),
        None => ticks_of(process),
    }
}

/// As the scheduler has it, of the threads that there are.
#[cfg(target_os = "linux")]
fn threads_of(process: u32) -> Option<Duration> {
    let mut all = Duration::ZERO;
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let ns: u64 = text.split_whitespace().next()?.parse().ok()?;
        all += Duration::from_nanos(ns);
    }
    (!all.is_zero()).then_some(all)
}

#[cfg(target_os = "linux")]
fn ticks_of(process: u32) -> Outcome<Duration> {
    let path = format!("/proc/{process}/stat");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("`{path}`: {error}"))?;
    // The name stands in brackets, and may have spaces; `utime` and `stime` are the 12th and 13th
    // word after it.
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = after.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks: Result<Vec<u64>, _> = ticks.collect();
    let ticks = ticks.map_err(|_| format!("`{path}` says `{}`", text.trim()))?;
    let per_second = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_secs_f64(ticks.iter().sum::<u64>() as f64 / per_second as f64))
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub fn time_of(_: u32) -> Outcome<Duration> {
    Err("what a request costs is read from /proc, which only Linux has".to_owned())
}

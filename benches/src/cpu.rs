//! Pins threads to cores, and reads the CPU time of a process.

use std::time::Duration;

use crate::Outcome;

/// Pins this thread, and those that it starts from now on, to one core; returns whether it could.
#[cfg(target_os = "linux")]
pub fn pin(core: usize) -> bool {
    use std::sync::LazyLock;

    use rustix::thread::{CpuSet, sched_setaffinity};
    // Cached: a thread pinned to one core counts no others.
    static SEVERAL: LazyLock<bool> =
        LazyLock::new(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1));
    if !*SEVERAL && core == 0 {
        return false;
    }
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).is_ok()
}

/// Starts servers on the first core; later threads load the other one.
pub fn beside<T>(start: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let pinned = pin(0);
    let started = start();
    pin(1);
    match pinned {
        true => println!("servers on core 0, clients on core 1"),
        false => println!("one core, or not Linux: servers and clients share what there is"),
    }
    started
}

/// Does nothing: only Linux pins threads.
#[cfg(not(target_os = "linux"))]
pub fn pin(_: usize) -> bool {
    false
}

/// The CPU time of a process's threads, by the scheduler's count.
#[cfg(target_os = "linux")]
pub fn time_of(process: u32) -> Outcome<Duration> {
    let told = || {
        let mut all = Duration::ZERO;
        for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()? {
            let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            all += Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?);
        }
        (!all.is_zero()).then_some(all)
    };
    told().ok_or_else(|| format!("`/proc/{process}/task/*/schedstat` does not say its time"))
}

/// Fails: only Linux has the count.
#[cfg(not(target_os = "linux"))]
pub fn time_of(_: u32) -> Outcome<Duration> {
    Err("what a request costs is read from /proc, which only Linux has".to_owned())
}

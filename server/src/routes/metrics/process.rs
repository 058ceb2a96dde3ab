//! What the process takes, under the names that all exporters use.

use crate::meter::process::Process;
use crate::seen::exposition::Exposition;

/// Memory, files, threads and time.
pub fn put(all: &mut Exposition) {
    let Process { memory, files, most_files, threads, cpu, started } = Process::now();
    let whole = |value: Option<u64>| value.map(|value| value as f64);
    let mut gauge = |name, help, value: Option<f64>| {
        if value.is_some() {
            all.gauge(name, help).value(&[], value);
        }
    };
    gauge("process_resident_memory_bytes", "Resident memory, in bytes.", whole(memory));
    gauge("process_open_fds", "Open files and sockets.", whole(files));
    gauge("process_max_fds", "How many files and sockets may be open.", whole(most_files));
    gauge("process_threads", "Threads.", whole(threads));
    gauge("process_start_time_seconds", "When the process started, in s since 1970.", started);
    if cpu.is_some() {
        let help = "Time on processors, in seconds.";
        all.counter("process_cpu_seconds_total", help).value(&[], cpu);
    }
}

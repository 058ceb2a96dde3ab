//! The log: lines on standard error, and how many of a kind.

mod lines;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use leafid_core::Code;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use lines::Lines;

/// One code has at most one line in this time.
const PAUSE: Duration = Duration::from_secs(1);

/// How a line is written. Its fields are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: `2026-11-22T09:00:00.000000Z  INFO request{request_id=…}: message field=value`
    #[default]
    Text,
    /// For programs: one JSON object a line, with `timestamp`, `level`, `message`, the fields, and
    /// those of the request in `span`.
    Json,
}

static LINES: Lines = Lines::new();

/// Writes lines of this level and above from now on. Only the first call counts.
pub fn start(level: LevelFilter, format: Format) {
    begin(level, format, std::io::stderr);
}

/// As [`start`], for a program that others depend on: no thread waits for whoever reads the lines,
/// and those that nobody reads are left out.
pub fn start_apart(level: LevelFilter, format: Format) {
    let thread = std::thread::Builder::new().name("leafid-log".to_owned());
    match thread.spawn(|| LINES.write_to(std::io::stderr())) {
        Ok(_) => begin(level, format, &LINES),
        Err(_) => start(level, format),
    }
}

/// Waits for the last lines to be written, but not for long: the process ends.
pub fn end() {
    LINES.flush();
}

fn begin(
    level: LevelFilter,
    format: Format,
    to: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
) {
    let log = tracing_subscriber::fmt().with_max_level(level).with_target(false).with_ansi(false);
    let log = log.with_writer(to);
    // A program that has a log of its own keeps it.
    let _ = match format {
        Format::Text => log.try_init(),
        Format::Json => log.json().flatten_event(true).with_span_list(false).try_init(),
    };
}

/// Lets one line a second through per code, and counts the others.
#[derive(Debug, Default)]
pub struct Rate {
    seen: Mutex<BTreeMap<Code, Seen>>,
}

#[derive(Debug)]
struct Seen {
    last: Instant,
    left_out: u64,
}

impl Rate {
    /// Nothing was written yet.
    pub const fn new() -> Rate {
        Rate { seen: Mutex::new(BTreeMap::new()) }
    }

    /// Whether a line of this code may be written, and how many were left out since the last.
    pub fn admit(&self, code: Code) -> Option<u64> {
        self.admit_at(code, Instant::now())
    }

    fn admit_at(&self, code: Code, now: Instant) -> Option<u64> {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(seen) = all.get_mut(&code) else {
            all.insert(code, Seen { last: now, left_out: 0 });
            return Some(0);
        };
        if now.saturating_duration_since(seen.last) < PAUSE {
            seen.left_out = seen.left_out.saturating_add(1);
            return None;
        }
        seen.last = now;
        Some(std::mem::take(&mut seen.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_second_per_code_and_none_is_forgotten() {
        let (rate, start) = (Rate::new(), Instant::now());
        let mut written = 0;
        let mut counted = 0;
        for ms in 0..10_000 {
            for code in [Code::Overloaded, Code::Internal] {
                let left_out = rate.admit_at(code, start + Duration::from_millis(ms));
                written += u64::from(left_out.is_some());
                counted += left_out.map_or(0, |left_out| left_out + 1);
            }
        }
        assert_eq!((written, counted), (20, 2 * 9_001));
    }
}

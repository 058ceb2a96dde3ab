//! The log: lines on standard error, and how many of a kind.

mod lines;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use lines::Lines;

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

//! The log, on standard error.

mod lines;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use lines::Lines;

/// The form of a line; both forms have the same fields.
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

/// Starts the log at this level. Only the first call counts.
pub fn start(level: LevelFilter, format: Format) {
    begin(level, format, std::io::stderr);
}

/// As [`start`], for a server: writing never blocks, and unread lines are dropped.
pub fn start_apart(level: LevelFilter, format: Format) {
    let thread = std::thread::Builder::new().name("leafid-log".to_owned());
    match thread.spawn(|| LINES.write_to(std::io::stderr())) {
        Ok(_) => begin(level, format, &LINES),
        Err(_) => start(level, format),
    }
}

/// Waits a second at most for the last lines to be written, before the process ends.
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
    // A program that has installed its own subscriber keeps it.
    let _ = match format {
        Format::Text => log.try_init(),
        Format::Json => log.json().flatten_event(true).with_span_list(false).try_init(),
    };
}

//! The log, on standard error. A server's is written by a thread of its own: an unread pipe is full after
//! 64 KB, and the next line would block its writer for ever, and with it the thread that takes the store's
//! turns, or every request.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// Bytes that wait to be written at most; further lines are dropped.
const MOST: usize = 256 << 10;
/// How long an ending process waits for its last lines to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bytes that wait to be written, or are being written.
static WAITING: AtomicUsize = AtomicUsize::new(0);
/// The lines that were dropped.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

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

/// Starts the log at this level; only the first call counts. A server's never blocks who writes it, and
/// unread lines are dropped.
pub fn start(level: LevelFilter, format: Format, is_server: bool) {
    let (queue, lines) = channel();
    let thread = thread::Builder::new().name("leafid-log".to_owned());
    let to = match is_server && thread.spawn(|| write(lines)).is_ok() {
        true => BoxMakeWriter::new(move || Queue(queue.clone())),
        false => BoxMakeWriter::new(io::stderr),
    };
    let log = tracing_subscriber::fmt().with_max_level(level).with_target(false).with_ansi(false);
    let log = log.with_writer(to);
    // A program that has installed its own subscriber keeps it.
    let _ = match format {
        Format::Text => log.try_init(),
        Format::Json => log.json().flatten_event(true).with_span_list(false).try_init(),
    };
}

/// Waits a second at most for the last lines to be written, before the process ends.
pub fn end() {
    let began = Instant::now();
    while WAITING.load(Ordering::Acquire) > 0 && began.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
}

fn write(lines: Receiver<Box<[u8]>>) {
    let mut told = 0;
    for line in lines {
        // Before the write: what is dropped during it is told of after the next line.
        let left_out = LEFT_OUT.load(Ordering::Relaxed);
        // If standard error is closed, the line is lost.
        let _ = io::stderr().write_all(&line);
        WAITING.fetch_sub(line.len(), Ordering::Release);
        if left_out > told {
            told = left_out;
            tracing::warn!(
                left_out,
                "standard error was not read in time: so many lines of the log were left out \
                 since the start"
            );
        }
    }
}

/// Lines on their way to the thread. Each call of `write` is one line, and never blocks.
struct Queue(Sender<Box<[u8]>>);

impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let before = WAITING.fetch_add(line.len(), Ordering::Relaxed);
        if before + line.len() > MOST || self.0.send(line.into()).is_err() {
            WAITING.fetch_sub(line.len(), Ordering::Relaxed);
            LEFT_OUT.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

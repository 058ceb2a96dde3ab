//! A status line: rewritten in place on a terminal, printed every second elsewhere.

use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};

use leafid_stream::stream::Stream;

/// Holds the time of the last output.
pub struct Display(Instant);

impl Display {
    pub fn new() -> Display {
        Display(Instant::now())
    }

    /// Shows every host, and the check over all of them, once a second.
    pub fn show(&mut self, stream: &Stream) {
        if self.0.elapsed() < Duration::from_secs(1) {
            return;
        }
        self.0 = Instant::now();
        let (ids, leases) = (grouped(stream.ids()), grouped(stream.grants()));
        let mut line =
            format!("{ids} IDs, duplicates {}, {leases} leases", stream.checker.duplicates());
        for host in stream.hosts() {
            let last = host.segment.last.unwrap_or(0);
            line += &format!(" | {} {}, number {last}", host.name, grouped(host.ids()));
        }
        // Cuts a long line: a wrapped one could not be rewritten in place.
        let terminal = stdout().is_terminal();
        let text = if terminal { format!("\r\x1b[?7l{line}\x1b[K\x1b[?7h") } else { line + "\n" };
        // Checking goes on without a terminal.
        let _ = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
    }
}

/// Groups a number by three digits.
pub fn grouped(number: u64) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        rest => format!("{},{:03}", grouped(rest), number % 1_000),
    }
}

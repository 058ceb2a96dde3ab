//! A line that renews itself on a terminal, and comes again every second elsewhere.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _, stdout};
use std::time::{Duration, Instant};

use leafid_stream::stream::Stream;

/// What was shown last: when, and how many IDs each host had.
pub struct Display {
    at: Instant,
    ids: Vec<u64>,
}

impl Display {
    /// Nothing shown yet.
    pub fn new() -> Display {
        Display { at: Instant::now(), ids: Vec::new() }
    }

    /// Shows every host's rate, and the check over all of them, once a second.
    pub fn show(&mut self, stream: &Stream) {
        let took = self.at.elapsed();
        if took < Duration::from_secs(1) {
            return;
        }
        let mut line = format!(
            "{} IDs, duplicates {}, {} leases",
            grouped(stream.ids()),
            stream.checker.duplicates(),
            grouped(stream.grants()),
        );
        for (at, host) in stream.hosts().iter().enumerate() {
            let before = self.ids.get(at).copied().unwrap_or(0);
            let rate = (host.ids() - before) as f64 / took.as_secs_f64();
            let last = host.segment.last.unwrap_or(0);
            let _ = write!(line, " | {} {rate:.0}/s, number {last}", host.name);
        }
        self.ids = stream.hosts().iter().map(|host| host.ids()).collect();
        self.at = Instant::now();
        // A line that is too long is cut, not wrapped: else the next one stands elsewhere.
        let terminal = stdout().is_terminal();
        let text = if terminal { format!("\r\x1b[?7l{line}\x1b[K\x1b[?7h") } else { line + "\n" };
        // A terminal that is gone is no reason to stop checking.
        let _ = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
    }
}

/// A number in groups of three digits.
pub fn grouped(number: u64) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        rest => format!("{},{:03}", grouped(rest), number % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn numbers_are_readable() {
        let shown = [0, 999, 1_000, 1_034_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "1,034,567"]);
    }
}

//! A line per host that renews itself on a terminal, and comes again every second elsewhere.

use std::io::{Write, stdout};
use std::time::Instant;

use leafid_core::Layout;
use leafid_stream::stream::{Host, Stream};

use super::clock;

/// What was shown last.
pub struct Display {
    terminal: bool,
    /// Lines that stand on the terminal, to be overwritten.
    standing: usize,
    samples: Vec<Sample>,
}

/// A host's IDs at one moment; its rate is the difference to the next one, a second later.
#[derive(Clone, Copy)]
struct Sample {
    at: Instant,
    ids: u64,
    rate: f64,
}

impl Display {
    /// Nothing shown yet.
    pub fn new(terminal: bool) -> Display {
        Display { terminal, standing: 0, samples: Vec::new() }
    }

    /// Shows every host, and the check over all of them.
    pub fn show(&mut self, stream: &Stream) {
        let mut text = String::new();
        if self.terminal {
            // Lines that are too long are cut, not wrapped: else the next ones stand elsewhere.
            text += "\x1b[?7l";
        }
        if self.standing > 0 {
            text += &format!("\x1b[{}A", self.standing);
        }
        let end = if self.terminal { "\x1b[K\n" } else { "\n" };
        for (at, host) in stream.hosts().iter().enumerate() {
            let rate = self.rate(at, host.ids());
            text += &host_line(host, rate);
            text += end;
        }
        text += &check_line(stream);
        text += end;
        if self.terminal {
            text += "\x1b[?7h";
        }
        self.standing = if self.terminal { stream.hosts().len() + 1 } else { 0 };
        // A terminal that is gone is no reason to stop checking.
        let mut out = stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn rate(&mut self, host: usize, ids: u64) -> f64 {
        let now = Instant::now();
        if host == self.samples.len() {
            self.samples.push(Sample { at: now, ids, rate: 0.0 });
        }
        let Some(sample) = self.samples.get_mut(host) else { return 0.0 };
        let seconds = now.duration_since(sample.at).as_secs_f64();
        if seconds >= 0.9 {
            *sample = Sample { at: now, ids, rate: (ids - sample.ids) as f64 / seconds };
        }
        sample.rate
    }
}

/// What matters most first: a narrow terminal cuts the end off.
fn host_line(host: &Host, rate: f64) -> String {
    let stats = [host.segment.stats, host.snowflake.stats];
    let leases: u64 = stats.iter().map(|stats| stats.grants).sum();
    let waits: u64 = stats.iter().map(|stats| stats.waits).sum();
    format!(
        "{:6} {:>9} IDs {:>5.0}/s {leases:>5} leases {waits:>2} waits  {}, number {}",
        host.name,
        grouped(host.ids()),
        rate,
        host.snowflake.last.map_or("–".to_owned(), decoded),
        host.segment.last.map_or("–".to_owned(), grouped),
    )
}

fn check_line(stream: &Stream) -> String {
    let checker = &stream.checker;
    format!(
        "duplicates {} among {} IDs of {} hosts ({} leases; kept in memory: {} ranges and runs)",
        checker.duplicates(),
        grouped(stream.ids()),
        stream.hosts().len(),
        grouped(stream.grants()),
        checker.pieces(),
    )
}

/// A snowflake ID and what it says.
fn decoded(id: u64) -> String {
    let Ok(parts) = Layout::LEAF.decompose(id) else { return id.to_string() };
    let time = clock::time_of_day(parts.time.get());
    format!("{time} worker {} sequence {} = {id}", parts.worker, parts.sequence)
}

/// A number in groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use leafid_core::{Layout, StoreTime};

    use super::{decoded, grouped};

    #[test]
    fn numbers_and_ids_are_readable() {
        let shown: Vec<_> = [0, 999, 1_000, 1_234_567].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
        let id = Layout::LEAF.compose(StoreTime::new(1_735_689_600_123), 7, 42).expect("it fits");
        assert_eq!(decoded(id), format!("00:00:00.123Z worker 7 sequence 42 = {id}"));
    }
}

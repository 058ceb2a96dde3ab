//! Who drew which ranges and windows, as a picture of letters: a column a range, a column a moment.

use std::collections::BTreeMap;

use leafid_core::Layout;
use leafid_stream::line::Line;
use leafid_stream::stream::{Event, Stream};

use super::{NAMESPACE, STEP, TAG};

/// Columns of the picture.
const COLUMNS: u64 = 64;

/// The ranges and windows that each host drew from.
#[derive(Default)]
pub struct Picture {
    /// Range → the host that drew from it.
    ranges: BTreeMap<u64, usize>,
    /// Worker number → second → host.
    workers: BTreeMap<u32, BTreeMap<i64, usize>>,
}

impl Picture {
    /// Takes what a host told.
    pub fn note(&mut self, event: &Event<'_>) {
        match *event.line {
            // A tag's first number is 1.
            Line::Numbers { start, end } => {
                for range in (start - 1) / STEP..=(end - 2).max(start - 1) / STEP {
                    self.ranges.insert(range, event.host);
                }
            }
            Line::Snowflakes { last, .. } => {
                if let Ok(parts) = Layout::LEAF.decompose(last) {
                    let seconds = self.workers.entry(parts.worker).or_default();
                    seconds.insert(parts.time.get() / 1_000, event.host);
                }
            }
            _ => {}
        }
    }

    /// Prints it: the last ranges, and the last minute of every worker number.
    pub fn show(&self, stream: &Stream) {
        let end = self.ranges.keys().next_back().map_or(0, |range| range + 1);
        let begin = end.saturating_sub(COLUMNS);
        println!(
            "\n  `{TAG}`, numbers {} to {}, a column a range of {STEP}:",
            begin * STEP + 1,
            end * STEP
        );
        for (host, name) in stream.hosts().iter().map(|host| &host.name).enumerate() {
            println!(
                "  {name:>10} {}",
                row(begin..end, |range| self.ranges.get(&range) == Some(&host))
            );
        }
        let seconds = || self.workers.values().flat_map(BTreeMap::keys);
        let end = seconds().max().map_or(0, |second| second + 1);
        let begin = seconds().min().map_or(0, |second| (*second).max(end - COLUMNS as i64));
        println!("  namespace `{NAMESPACE}`, a column a second:");
        for (worker, held) in &self.workers {
            let Some(host) = held.values().next_back() else { continue };
            let name = &stream.host(*host).name;
            let line = row(begin..end, |second| held.contains_key(&second));
            println!("  {:>10} {line}", format!("{worker} {name}"));
        }
    }
}

fn row<N>(columns: std::ops::Range<N>, is_drawn: impl Fn(N) -> bool) -> String
where
    std::ops::Range<N>: Iterator<Item = N>,
{
    columns.map(|column| if is_drawn(column) { '█' } else { '·' }).collect()
}

//! Snowflake IDs, kept as runs of positions of their worker.

use std::collections::BTreeMap;

/// The greatest gap between two batches of one run, in ms. The holder held the worker all that time:
/// a number that another holder had meanwhile would not come back so soon.
const PAUSE_MS: u64 = 10_000;

/// The runs of one worker, in positions (`tick << sequence_bits | sequence`): about one per window
/// and holder.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// First position and holder → last position.
    runs: BTreeMap<(u64, usize), u64>,
    current: BTreeMap<usize, u64>,
}

impl Runs {
    /// Adds the batch from `first` to `last`, both included, that `holder` drew. Whether another run, of
    /// another holder or an earlier one of its own, overlaps it or the time since its last batch: that
    /// is an error, as no window is granted twice.
    pub fn add(&mut self, holder: usize, first: u64, last: u64, per_ms: u64) -> bool {
        let pause = PAUSE_MS.saturating_mul(per_ms);
        let (start, from) = match self.own(holder) {
            Some((start, before)) if first > before && first - before <= pause => {
                (start, before + 1)
            }
            _ => (first, first),
        };
        let others = self.runs.range(..=(last, usize::MAX)).rev();
        let before = others.map(|(key, end)| (*key, *end)).find(|(key, _)| *key != (start, holder));
        let again = start == first && self.runs.contains_key(&(start, holder));
        let overlaps = again || before.is_some_and(|(_, end)| end >= from);
        let end = self.runs.entry((start, holder)).or_insert(last);
        *end = last.max(*end);
        self.current.insert(holder, start);
        overlaps
    }

    fn own(&self, holder: usize) -> Option<(u64, u64)> {
        let start = *self.current.get(&holder)?;
        self.runs.get(&(start, holder)).map(|last| (start, *last))
    }
}

//! Snowflake IDs that were handed out, as runs on their worker's line.

use std::collections::BTreeMap;

/// How far apart two batches of one holder may lie and still count as one run, in ms. A larger gap
/// may hide another holder's window, whose lines are still in a pipe.
const PAUSE_MS: u64 = 1_000;

/// The runs on one worker's line, in positions (`tick << sequence_bits | sequence`): about one per
/// window and holder.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// First position → the run.
    runs: BTreeMap<u64, Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    last: u64,
    holder: usize,
}

impl Runs {
    /// Adds what `holder` drew from `first` to `last`, both included. Whether another run lies in
    /// between, another holder's or an earlier one of its own: no window was granted twice, so that
    /// may not be.
    pub fn add(&mut self, holder: usize, first: u64, last: u64, per_ms: u64) -> bool {
        let before = self.runs.range(..=last).next_back().map(|(&start, &run)| (start, run));
        let overlaps = before.is_some_and(|(_, run)| run.last >= first);
        match before {
            Some((start, run))
                if !overlaps
                    && run.holder == holder
                    && first - run.last <= PAUSE_MS.saturating_mul(per_ms) =>
            {
                self.runs.insert(start, Run { last, holder });
            }
            // An overlap is told once for each batch; the run that was there first stays.
            Some((start, run)) if overlaps => {
                self.runs.insert(start, Run { last: run.last.max(last), ..run });
            }
            _ => {
                self.runs.insert(first, Run { last, holder });
            }
        }
        overlaps
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        self.runs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    /// Positions per ms of a layout with 12 sequence bits.
    const MS: u64 = 4_096;

    #[test]
    fn a_holder_that_goes_on_has_one_run() {
        let mut runs = Runs::default();
        for batch in 0..1_000 {
            assert!(!runs.add(0, batch * 20 * MS, batch * 20 * MS + 9, MS));
        }
        assert_eq!(runs.count(), 1);
        assert!(!runs.add(0, 30_000 * MS, 30_000 * MS, MS), "after a pause");
        assert_eq!(runs.count(), 2);
    }

    #[test]
    fn windows_that_follow_each_other_are_fine() {
        let mut runs = Runs::default();
        assert!(!runs.add(0, 100 * MS, 200 * MS, MS));
        assert!(!runs.add(1, 5_000 * MS, 5_100 * MS, MS));
        // Its lines came late: it had the worker in between.
        assert!(!runs.add(2, 2_500 * MS, 2_600 * MS, MS));
        assert!(!runs.add(0, 9_000 * MS, 9_100 * MS, MS));
        assert_eq!(runs.count(), 4);
    }

    #[test]
    fn two_holders_at_once_are_seen_from_either_side() {
        for (first, second) in
            [((100, 200), (150, 250)), ((150, 250), (100, 200)), ((1, 9), (9, 9))]
        {
            let mut runs = Runs::default();
            assert!(!runs.add(0, first.0, first.1, MS));
            assert!(runs.add(1, second.0, second.1, MS), "{second:?} in {first:?}");
        }
        // The same run told twice.
        let mut runs = Runs::default();
        assert!(!runs.add(0, 100, 200, MS));
        assert!(runs.add(0, 100, 200, MS));
    }
}

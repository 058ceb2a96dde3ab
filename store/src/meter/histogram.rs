//! Histograms of durations and sizes.

use std::time::Duration;

use super::Counter;

/// Bounds for durations, in µs: from the usual time of a request for an ID to a caller's time-out.
pub const TIMES: &[u64] = &[
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000,
];
/// Bounds for sizes.
pub const SIZES: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/// Counts of values by bucket; a bound belongs to the bucket below it.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [u64],
    buckets: Box<[Counter]>,
    sum: Counter,
}

/// A histogram as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The bounds.
    pub bounds: &'static [u64],
    /// How many values are at or below each bound; the last entry counts all values.
    pub below: Vec<u64>,
    /// The sum of all values.
    pub sum: u64,
}

impl Histogram {
    /// Makes one of durations, in µs.
    pub fn times() -> Histogram {
        Histogram::over(TIMES)
    }

    /// Makes one of sizes.
    pub fn sizes() -> Histogram {
        Histogram::over(SIZES)
    }

    fn over(bounds: &'static [u64]) -> Histogram {
        let buckets = (0..=bounds.len()).map(|_| Counter::default()).collect();
        Histogram { bounds, buckets, sum: Counter::default() }
    }

    /// Counts a value.
    pub fn note(&self, value: u64) {
        let place = self.bounds.iter().position(|bound| value <= *bound);
        if let Some(bucket) = self.buckets.get(place.unwrap_or(self.bounds.len())) {
            bucket.one();
        }
        self.sum.more(value);
    }

    /// Counts a duration.
    pub fn took(&self, time: Duration) {
        self.note(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// Reads the counts.
    pub fn read(&self) -> Reading {
        let mut all = 0;
        let below = self.buckets.iter().map(|bucket| {
            all += bucket.get();
            all
        });
        Reading { bounds: self.bounds, below: below.collect(), sum: self.sum.get() }
    }
}

impl Reading {
    /// The lowest bound that this part of the values is at or below; `None` without values, or if none is.
    pub fn quantile(&self, part: f64) -> Option<u64> {
        let all = *self.below.last()?;
        let wanted = (all as f64 * part).ceil().max(1.0) as u64;
        let place = self.below.iter().position(|below| *below >= wanted)?;
        self.bounds.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_on_a_bound_counts_below_it() {
        let histogram = Histogram::sizes();
        for size in [0, 1, 2, 3, 1_024, 1_025] {
            histogram.note(size);
        }
        let read = histogram.read();
        assert_eq!(read.below, [2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 6]);
        assert_eq!(read.sum, 2_055);
    }

    #[test]
    fn a_quantile_is_the_bound_above_it() {
        let histogram = Histogram::times();
        assert_eq!(histogram.read().quantile(0.5), None);
        (0..99).for_each(|_| histogram.took(Duration::from_micros(200)));
        histogram.took(Duration::from_secs(60));
        let read = histogram.read();
        assert_eq!(read.quantile(0.5), Some(250));
        assert_eq!(read.quantile(0.99), Some(250));
        assert_eq!(read.quantile(1.0), None, "above all bounds");
    }
}

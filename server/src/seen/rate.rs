//! The present growth of a number, and when it reaches its end.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Samples are at least this far apart.
const APART: Duration = Duration::from_secs(15);
const PRESENT: Duration = Duration::from_secs(900);
/// Over less than this no rate is given: one lease would look like a flood.
const LEAST: Duration = Duration::from_secs(1);

/// Samples of a number over the last quarter of an hour.
#[derive(Clone, Debug, Default)]
pub struct Track(VecDeque<(Instant, u64)>);

impl Track {
    /// Adds a sample; gives the growth per second once there is an earlier one.
    pub fn note(&mut self, at: Instant, value: u64) -> Option<f64> {
        let age = |seen: Instant| at.saturating_duration_since(seen);
        // The only older sample stays.
        while self.0.len() > 1 && self.0.front().is_some_and(|(seen, _)| age(*seen) > PRESENT) {
            self.0.pop_front();
        }
        let rate = self.0.front().and_then(|(seen, before)| {
            let seconds = Some(age(*seen)).filter(|age| *age >= LEAST)?.as_secs_f64();
            Some((value as f64 - *before as f64) / seconds)
        });
        if self.0.back().is_none_or(|(seen, _)| age(*seen) >= APART) {
            self.0.push_back((at, value));
        }
        rate
    }
}

/// Seconds until so much is used up at this rate; infinite at rate 0.
pub fn seconds_left(left: u64, per_second: f64) -> f64 {
    if per_second > 0.0 { left as f64 / per_second } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_quarter_of_an_hour() {
        let (mut track, start) = (Track::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(track.note(at(0), 1_000), None, "seen once");
        assert_eq!(track.note(at(0), 5_000), None, "seen twice at once");
        assert_eq!(track.note(at(10), 1_100), Some(10.0));
        for second in 11..=4_000 {
            track.note(at(second), 1_100 + (second - 10) * 3);
        }
        let rate = track.note(at(4_001), 1_100 + 3_991 * 3).unwrap();
        assert!((rate - 3.0).abs() < 0.01, "{rate}");
        assert!(track.0.len() <= 61, "{}", track.0.len());
        // After a day without samples the last one still counts.
        assert!(track.note(at(90_000), 100_000).is_some());
    }

    #[test]
    fn what_is_not_used_lasts() {
        assert_eq!(seconds_left(100, 4.0), 25.0);
        assert_eq!(seconds_left(100, 0.0), f64::INFINITY);
        assert_eq!(seconds_left(100, -1.0), f64::INFINITY);
    }
}

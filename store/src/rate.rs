//! Limits log lines that would repeat themselves.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use leafid_core::Code;

/// The shortest time between two lines of one code.
const PAUSE: Duration = Duration::from_secs(1);

/// Lets one line a second through per code, and counts the others.
#[derive(Debug, Default)]
pub struct Rate {
    seen: Mutex<BTreeMap<Code, Seen>>,
}

#[derive(Debug)]
struct Seen {
    last: Instant,
    left_out: u64,
}

impl Rate {
    /// Makes a limit without any lines yet.
    pub const fn new() -> Rate {
        Rate { seen: Mutex::new(BTreeMap::new()) }
    }

    /// If a line of this code may be written now, the number of lines left out since the last.
    pub fn admit(&self, code: Code) -> Option<u64> {
        self.admit_at(code, Instant::now())
    }

    fn admit_at(&self, code: Code, now: Instant) -> Option<u64> {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(seen) = all.get_mut(&code) else {
            all.insert(code, Seen { last: now, left_out: 0 });
            return Some(0);
        };
        if now.saturating_duration_since(seen.last) < PAUSE {
            seen.left_out = seen.left_out.saturating_add(1);
            return None;
        }
        seen.last = now;
        Some(std::mem::take(&mut seen.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_second_per_code_and_none_is_forgotten() {
        let (rate, start) = (Rate::new(), Instant::now());
        let mut written = 0;
        let mut counted = 0;
        for ms in 0..10_000 {
            for code in [Code::Overloaded, Code::Internal] {
                let left_out = rate.admit_at(code, start + Duration::from_millis(ms));
                written += u64::from(left_out.is_some());
                counted += left_out.map_or(0, |left_out| left_out + 1);
            }
        }
        assert_eq!((written, counted), (20, 2 * 9_001));
    }
}

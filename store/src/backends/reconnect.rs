//! A connection that was lost: when the next try is due, and what stands behind the same name then.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Fault, Watch};
use crate::problem::Problem;
use crate::random;

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Why nothing may be granted until a restart.
#[derive(Debug, Default)]
pub struct Gone(OnceLock<Problem>);

impl Gone {
    /// Notes it, and says it once.
    pub fn set(&self, problem: Problem) {
        let (code, detail) = (problem.code, problem.detail.clone());
        if self.0.set(problem).is_ok() {
            tracing::error!(%code, "{detail}");
        }
    }
}

impl Watch for Gone {
    fn gone(&self) -> Option<Problem> {
        self.0.get().cloned()
    }
}

/// The tries since a connection was lost, or could not be made.
#[derive(Debug, Default)]
pub struct Tries(Option<Down>);

#[derive(Debug)]
struct Down {
    since: Instant,
    tries: u32,
    next: Instant,
    fault: Fault,
}

impl Tries {
    /// Whether it is time for the next try.
    ///
    /// # Errors
    /// Why the last one failed, until it is.
    pub fn due(&self) -> Result<(), Fault> {
        match &self.0 {
            Some(down) if Instant::now() < down.next => Err(down.fault.clone()),
            _ => Ok(()),
        }
    }

    /// A connection was lost: the next try is due at once.
    pub fn lost(&mut self, place: &str, why: &str) {
        tracing::warn!(place, "the connection is lost, and made again: {why}");
        let (now, fault) = (Instant::now(), Fault { detail: why.to_owned() });
        self.0.get_or_insert(Down { since: now, tries: 0, next: now, fault });
    }

    /// A try failed; gives its fault back.
    pub fn failed(&mut self, place: &str, fault: Fault) -> Fault {
        let now = Instant::now();
        let (since, tries) = self.0.as_ref().map_or((now, 0), |down| (down.since, down.tries));
        let pause = pause(tries);
        let (why, ms, tries) = (&fault.detail, pause.as_millis(), tries + 1);
        tracing::warn!(place, tries, next_in_ms = ms, "not connected: {why}");
        self.0 = Some(Down { since, tries, next: now + pause, fault: fault.clone() });
        fault
    }

    pub fn done(&mut self, place: &str) {
        if let Some(down) = self.0.take() {
            let (ms, tries) = (down.since.elapsed().as_millis(), down.tries + 1);
            tracing::info!(place, after_ms = ms, tries, "connected again");
        }
    }
}

/// How long to wait after this many tries that failed: twice as long each time, and a bit more or
/// less, so that servers do not come back all at once.
pub fn pause(tries: u32) -> Duration {
    let longest = SHORTEST.saturating_mul(1 << tries.min(16)).min(LONGEST);
    let chance = random::bytes().map_or(0, |[byte]| u32::from(byte));
    longest.mul_f64(0.8 + 0.4 * f64::from(chance) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_grows_and_ends() {
        for tries in 0..64 {
            let pause = pause(tries);
            let base = SHORTEST.saturating_mul(1 << tries.min(16)).min(LONGEST);
            assert!(
                pause >= base.mul_f64(0.79) && pause <= base.mul_f64(1.21),
                "{tries}: {pause:?}"
            );
        }
    }
}

//! Waiting for IDs: a caller tries, learns why it cannot have any yet, and rests until an answer
//! came or the time is up. How it rests (without the interpreter lock, with an eye on signals) is
//! the language's to say.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use leafid_core::{Code, Generator, HostTime, Refusal, SharedLine};

use crate::client::Failed;
use crate::client::driver::exit::is_exiting;
use crate::client::driver::{Holding, Kind};
use crate::client::host::fork::Generation;

/// How long a caller rests before it looks for signals.
const SLICE: Duration = Duration::from_millis(50);
/// How long while a test moves the clock: it may leap.
const SLICE_OF_TESTS: Duration = Duration::from_millis(2);

/// A call that may wait.
pub struct Call {
    /// In s.
    timeout: f64,
    deadline: Option<Instant>,
    /// Where it began: in which process, and after how many answers.
    begun: Option<(Generation, u64)>,
}

impl Call {
    /// A call that waits up to `timeout` seconds; more than the clock can count is for ever.
    pub fn new(timeout: f64) -> Call {
        let patience = Duration::try_from_secs_f64(timeout).ok();
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        Call { timeout, deadline, begun: None }
    }
}

/// Why a call did not succeed yet.
pub enum Blocked {
    /// It never will.
    Failed(Failed),
    /// It may later.
    Waiting(Waiting),
}

/// Why a call has to wait.
pub struct Waiting {
    /// Nobody carries asks yet: start a driver before the rest, or say that it has ended.
    pub needs_driver: bool,
    /// What the generator said.
    refusal: Refusal,
    at: HostTime,
    /// How many answers had come by then.
    answers: u64,
    /// How the last ask failed, if it did.
    last: Option<Arc<Failed>>,
    /// How long it is until the first worker number is free, where nobody else says it.
    free_in_ms: Option<i64>,
}

impl<K: Kind> Holding<K> {
    /// Tries once. Where there is no driver, the caller becomes the one to start it.
    ///
    /// # Errors
    /// Why it did not succeed yet.
    pub fn attempt<T>(
        &self,
        call: &mut Call,
        mut draw: impl FnMut(&mut Generator<K::Core, Arc<SharedLine>>, HostTime) -> Result<T, Refusal>,
    ) -> Result<T, Blocked> {
        if let Some(code) = self.ended.get() {
            return Err(Blocked::Failed(self.over(*code)));
        }
        let mut state = self.lock();
        let at = self.clock.exact();
        let refusal = match draw(&mut state.generator, at) {
            Ok(value) => {
                self.publish(&state);
                if state.generator.wants_ask(at) {
                    self.driver_called.notify_one();
                }
                return Ok(value);
            }
            Err(refusal) => refusal,
        };
        let failing = state.generator.failure();
        // Waiting for the clock is no reason to call anybody.
        if is_dry(refusal.code) || state.generator.wants_ask(at) {
            state.demand = true;
            self.driver_called.notify_one();
        }
        let waiting = Waiting {
            needs_driver: !std::mem::replace(&mut state.driven, true),
            refusal,
            at,
            answers: state.answers,
            last: state.last.clone(),
            free_in_ms: state.free_at.map(|free_at| free_at.since(at)),
        };
        drop(state);
        match self.given_up(call, &waiting, failing) {
            Some(failed) => Err(Blocked::Failed(failed)),
            None => Err(Blocked::Waiting(waiting)),
        }
    }

    /// What waiting cannot cure.
    fn given_up(&self, call: &mut Call, why: &Waiting, failing: Option<Code>) -> Option<Failed> {
        if why.refusal.code.is_permanent() {
            return Some(match why.refusal.code.stops() {
                true => self.over(why.refusal.code),
                false => Failed::about(why.refusal, &self.about),
            });
        }
        // A failure that is older than this call may be over by now: it is asked again.
        let here = self.generation();
        let (_, before) = *call.begun.insert(match call.begun {
            Some(begun) if begun.0 == here => begun,
            _ => (here, why.answers),
        });
        if why.answers > before
            && is_dry(why.refusal.code)
            && failing.is_some_and(Code::is_permanent)
            && let Some(last) = &why.last
        {
            return Some(Failed::clone(last));
        }
        if why.needs_driver && is_exiting() {
            self.lock().driven = false;
            return Some(self.over(Code::Closed));
        }
        None
    }

    /// How long a call rests at most before it tries again.
    ///
    /// # Errors
    /// `TIMED_OUT` when its time is up, with the last failure as its cause.
    pub fn patience(&self, call: &Call, why: &Waiting) -> Result<Duration, Failed> {
        let left = call.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Err(self.timed_out(call.timeout, why));
        }
        let slice = if self.clock.is_given() { SLICE_OF_TESTS } else { SLICE };
        let until = why.refusal.until.map_or(slice, |until| {
            Duration::from_millis(u64::try_from(until.since(why.at)).unwrap_or(0).max(1))
        });
        Ok(slice.min(until).min(left.unwrap_or(slice)))
    }

    /// Rests until another answer has come, and no longer than `patience`.
    pub fn rest(&self, why: &Waiting, patience: Duration) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let state = self.lock();
        if state.answers == why.answers && !is_exiting() {
            drop(self.answer_came.wait_timeout(state, patience));
        }
        self.waiting.fetch_sub(1, Ordering::AcqRel);
    }

    /// Why a generator is over: in the words in which it was said, if it was.
    fn over(&self, code: Code) -> Failed {
        match &self.lock().last {
            Some(last) if last.code == code => Failed::clone(last),
            _ => Failed::about(code.into(), &self.about),
        }
    }

    fn timed_out(&self, timeout: f64, why: &Waiting) -> Failed {
        let cause = why.last.clone().unwrap_or_else(|| {
            let wait = why.refusal.until.map(|until| until.since(self.clock.exact()).max(0));
            let retry_after_ms = wait.and_then(|ms| u32::try_from(ms).ok());
            let said = Failed::about(Refusal::new(why.refusal.code), &self.about);
            Arc::new(Failed { retry_after_ms, ..said })
        });
        let mut message = format!("no ID of {} within {timeout} s: {cause}", self.about);
        if let Some(ms) = why.free_in_ms.filter(|ms| *ms > 0) {
            message += &format!("; the first is free in {} s", (ms as u64).div_ceil(1_000));
        }
        Failed { cause: Some(cause), ..Failed::new(Code::TimedOut, message) }
    }
}

fn is_dry(code: Code) -> bool {
    matches!(code, Code::SegmentDry | Code::WindowSpent)
}

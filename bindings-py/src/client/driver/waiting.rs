//! Waiting for IDs: a caller tries, learns why it cannot have any yet, and rests until an answer
//! came or the time is up. How it rests (without the interpreter lock, with an eye on signals) is
//! the language's to say.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use leafid_core::{Code, HostTime, Refusal, Stance};
use leafid_wire::{Sentence, Subject};

use crate::client::driver::exit::is_exiting;
use crate::client::driver::{Held, Holding, Kind};
use crate::client::{Cause, Failed};

/// How long a caller rests before it looks for signals.
const SLICE: Duration = Duration::from_millis(50);
/// How long while a test moves the clock: it may leap.
const SLICE_OF_TESTS: Duration = Duration::from_millis(2);

/// A call that may wait.
pub struct Call {
    timeout: f64,
    deadline: Option<Instant>,
}

impl Call {
    /// A call that waits up to `timeout` seconds; infinity is for ever.
    pub fn new(timeout: f64) -> Call {
        let patience = Duration::try_from_secs_f64(timeout).ok();
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        Call { timeout, deadline }
    }

    /// How long it may wait yet; `None` is for ever.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// Why a call did not succeed yet.
pub enum Blocked {
    Failed(Failed),
    Waiting(Waiting),
}

/// Why a call has to wait.
pub struct Waiting {
    /// Nobody carries asks yet: start a driver before the rest, or say that it has ended.
    pub needs_driver: bool,
    refusal: Refusal,
    /// How long waiting makes sense, if no answer comes.
    pause: Option<Duration>,
    answers: u64,
    last: Option<Arc<Failed>>,
    /// How long it is until the first worker number is free, where nobody else says it.
    free_in_ms: Option<i64>,
}

/// A caller that is counted until it has its ID, or its error: the end of the process waits for it.
pub struct Caller<K: Kind>(Arc<Holding<K>>);

impl<K: Kind> Drop for Caller<K> {
    fn drop(&mut self) {
        self.0.callers.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<K: Kind> Holding<K> {
    /// Counts a caller that may have to wait.
    pub fn enter(self: &Arc<Self>) -> Caller<K> {
        self.callers.fetch_add(1, Ordering::AcqRel);
        Caller(Arc::clone(self))
    }

    /// Tries once. Where there is no driver, the caller becomes the one to start it.
    pub fn attempt<T>(
        &self,
        mut draw: impl FnMut(&mut Held<K>, HostTime) -> Result<T, Refusal>,
    ) -> Result<T, Blocked> {
        if let Some(code) = self.ended.get() {
            return Err(Blocked::Failed(self.failed(*code)));
        }
        let mut state = self.lock();
        if let Some(failed) = &state.unkept {
            return Err(Blocked::Failed(failed.clone()));
        }
        let now = self.clock.exact();
        let drawn = draw(&mut state.generator, now);
        let wants = state.generator.wants(now);
        if drawn.is_ok() {
            self.publish(&state);
        }
        if wants {
            self.wake_driver();
        }
        let refusal = match drawn {
            Ok(value) => return Ok(value),
            Err(refusal) => refusal,
        };
        let stance = match state.generator.stance(refusal, now) {
            Stance::Wait(_) if !state.driven && is_exiting() => Stance::Raise(Code::Closed),
            stance => stance,
        };
        let until = match stance {
            // What is due is the driver's to do; what comes of it ends the rest.
            Stance::Wait(_) if wants => refusal.until,
            Stance::Wait(until) => until,
            Stance::Raise(code) => {
                drop(state);
                return Err(Blocked::Failed(self.failed(code)));
            }
        };
        let ms = until.map(|until| u64::try_from(until.since(now)).unwrap_or(0).max(1));
        Err(Blocked::Waiting(Waiting {
            needs_driver: !std::mem::replace(&mut state.driven, true),
            refusal,
            pause: ms.map(Duration::from_millis),
            answers: state.answers,
            // A caller that waits for the clock is told that, not the store's failure.
            last: state.last.clone().filter(|_| refusal.until.is_none()),
            free_in_ms: state.free_at.map(|free_at| free_at.since(now)),
        }))
    }

    /// How long a call rests at most before it tries again.
    ///
    /// # Errors
    /// `TIMED_OUT` when its time is up, with the last failure as its cause.
    pub fn patience(&self, call: &Call, why: &Waiting) -> Result<Duration, Failed> {
        let left = call.left();
        if left == Some(Duration::ZERO) {
            return Err(self.timed_out(call.timeout, why));
        }
        let slice = if self.clock.is_given() { SLICE_OF_TESTS } else { SLICE };
        Ok([why.pause, left].into_iter().flatten().fold(slice, Duration::min))
    }

    /// Rests until another answer has come, and no longer than `patience`.
    pub fn rest(&self, why: &Waiting, patience: Duration) {
        let state = self.lock();
        if state.answers == why.answers && !is_exiting() {
            drop(self.answer_came.wait_timeout(state, patience));
        }
    }

    /// A code in the words in which it was said, if it was.
    fn failed(&self, code: Code) -> Failed {
        match &self.lock().last {
            Some(last) if last.code == code => Failed::clone(last),
            // Not the tag is closed, and a new tag is no help.
            _ if code == Code::Closed => {
                let words = format!("the generator of {}", self.kind.subject());
                Failed::about(code.into(), Subject::Other(&words))
            }
            _ => Failed::about(code.into(), self.kind.subject()),
        }
    }

    /// Why a call that must not wait has no ID; `instead` says what to do.
    pub fn not_at_hand(&self, why: &Waiting, instead: &str) -> Failed {
        let message = format!("no ID of {} is at hand, {instead}", self.kind.subject());
        let cause = why.last.clone().map(|last| last as Cause);
        Failed { cause, ..Failed::new(why.refusal.code, message) }
    }

    fn timed_out(&self, timeout: f64, why: &Waiting) -> Failed {
        let cause = why.last.clone().unwrap_or_else(|| {
            let wait = why.refusal.until.map(|until| until.since(self.clock.exact()));
            let wait_ms = wait.map(|ms| u64::try_from(ms).unwrap_or(0));
            let retry_after_ms = wait_ms.and_then(|ms| u32::try_from(ms).ok());
            let code = why.refusal.code;
            let said = Sentence { wait_ms, ..Sentence::new(code, self.kind.subject()) };
            Arc::new(Failed { retry_after_ms, ..Failed::new(code, said.to_string()) })
        });
        let mut message = format!("no ID of {} within {timeout} s: {cause}", self.kind.subject());
        if let Some(ms) = why.free_in_ms.filter(|ms| *ms > 0) {
            message += &format!("; the first is free in {} s", (ms as u64).div_ceil(1_000));
        }
        Failed { cause: Some(cause), ..Failed::new(Code::TimedOut, message) }
    }
}

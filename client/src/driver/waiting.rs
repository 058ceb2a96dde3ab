//! Waiting for IDs: a caller tries, learns why it has to wait, and rests until an answer comes or its
//! time is up. The language's side decides how to rest: without the interpreter lock, checking signals.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use leafid_core::{Code, HostTime, Refusal, Stance};
use leafid_wire::{Sentence, Subject};

use crate::driver::live::is_exiting;
use crate::driver::{Core, Holding, each};
use crate::log;
use crate::{Cause, Error};

/// The longest rest before a caller checks for signals.
const SLICE: Duration = Duration::from_millis(50);
/// The same while a test moves the clock, which may leap.
const SLICE_OF_TESTS: Duration = Duration::from_millis(2);

/// A call that may wait.
pub struct Call {
    /// How many IDs it wants.
    pub(super) count: u64,
    pub(super) timeout: f64,
    deadline: Option<Instant>,
}

impl Call {
    /// Starts a call for `count` IDs that waits up to `timeout` seconds; infinity means no limit.
    pub fn new(count: u64, timeout: f64) -> Call {
        let patience = Duration::try_from_secs_f64(timeout).ok();
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        Call { count, timeout, deadline }
    }

    /// The remaining time; `None` means no limit.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// Why a call has to wait.
pub struct Waiting {
    /// There is no driver: start one before resting, or report that it has ended.
    pub(super) needs_driver: bool,
    refusal: Refusal,
    /// The longest useful rest, if no answer comes.
    pub rest: Duration,
    /// When it is over without an answer, if that is known.
    pub until: Option<Duration>,
    answers: u64,
    last: Option<Arc<Error>>,
}

/// Counts a caller until it has its ID, or its error: the end of the process waits for it.
pub struct Caller(Arc<Holding>);

impl Deref for Caller {
    type Target = Arc<Holding>;

    fn deref(&self) -> &Arc<Holding> {
        &self.0
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.0.callers.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Holding {
    /// Counts a caller that may have to wait.
    pub fn enter(self: &Arc<Self>) -> Caller {
        self.callers.fetch_add(1, Ordering::AcqRel);
        Caller(Arc::clone(self))
    }

    /// Tries once. Where there is no driver, this caller has to start one.
    pub(super) fn attempt<T>(
        &self,
        count: u64,
        mut draw: impl FnMut(&mut Core, HostTime) -> Result<T, Refusal>,
    ) -> Result<Result<T, Waiting>, Error> {
        if let Some(code) = self.ended.get() {
            return Err(self.failed(*code));
        }
        let mut state = self.lock();
        if let Some(failed) = &state.unkept {
            return Err(failed.clone());
        }
        let now = self.clock.exact();
        let drawn = draw(&mut state.core, now);
        let wants = each!(Core, &state.core, core => core.wants(now));
        if drawn.is_ok() {
            self.publish(&state);
        }
        if wants {
            self.wake_driver();
        }
        let refusal = match drawn {
            Ok(value) => return Ok(Ok(value)),
            Err(refusal) => refusal,
        };
        let stance = match each!(Core, &state.core, core => core.stance(refusal, now)) {
            Stance::Wait(_) if !state.driven && is_exiting() => Stance::Raise(Code::Closed),
            stance => stance,
        };
        let until = match stance {
            // The driver has a task, and its result will end the rest.
            Stance::Wait(_) if wants => refusal.until,
            Stance::Wait(until) => until,
            Stance::Raise(_) if refusal.code == Code::CountInvalid => {
                let most = each!(Core, &state.core, core => core.most());
                return Err(self.config.at_most(most, count));
            }
            Stance::Raise(code) => {
                drop(state);
                return Err(self.failed(code));
            }
        };
        let slice = if self.clock.is_given() { SLICE_OF_TESTS } else { SLICE };
        let ms = until.map(|until| u64::try_from(until.since(now)).unwrap_or(0).max(1));
        let until = ms.map(Duration::from_millis);
        Ok(Err(Waiting {
            needs_driver: !std::mem::replace(&mut state.driven, true),
            refusal,
            rest: until.unwrap_or(slice).min(slice),
            until,
            answers: state.answers,
            // A caller that waits for the clock gets that as the cause, not the store's failure.
            last: state.last.clone().filter(|_| refusal.until.is_none()),
        }))
    }

    /// Logs the pending warnings.
    pub fn warn(&self) {
        self.said().into_iter().for_each(|said| log::note(true, said));
    }

    /// Rests until another answer comes, or for as long as it says.
    pub fn rest(&self, why: &Waiting) {
        let state = self.lock();
        if state.answers == why.answers && !is_exiting() {
            drop(self.answer_came.wait_timeout(state, why.rest));
        }
    }

    /// The failure of a code, with the store's message if the last failure had that code.
    fn failed(&self, code: Code) -> Error {
        match &self.lock().last {
            Some(last) if last.code() == code => Error::clone(last),
            // The generator is closed, not the tag: a new tag would not help.
            _ if code == Code::Closed => {
                let words = format!("the generator of {}", self.config.subject());
                Error::about(code.into(), Subject::Other(&words))
            }
            _ => Error::about(code.into(), self.config.subject()),
        }
    }

    /// The failure of a call that must not wait; `instead` is the advice.
    pub fn not_at_hand(&self, why: &Waiting, instead: &str) -> Error {
        let message = format!("no ID of {} is at hand, {instead}", self.config.subject());
        let cause = why.last.clone().map(|last| last as Cause);
        Error::new(why.refusal.code, message).caused_by(cause)
    }

    /// The failure of a call whose time is up, with the last failure as its cause.
    pub(super) fn timed_out(&self, timeout: f64, why: &Waiting) -> Error {
        let cause = why.last.clone().unwrap_or_else(|| {
            let wait = why.refusal.until.map(|until| until.since(self.clock.exact()));
            let wait_ms = wait.map(|ms| u64::try_from(ms).unwrap_or(0));
            let retry_after_ms = wait_ms.and_then(|ms| u32::try_from(ms).ok());
            let code = why.refusal.code;
            let said = Sentence { wait_ms, ..Sentence::new(code, self.config.subject()) };
            Arc::new(Error::new(code, said.to_string()).retry_after_ms(retry_after_ms))
        });
        let message = format!("no ID of {} within {timeout} s: {cause}", self.config.subject());
        Error::new(Code::TimedOut, message).caused_by(Some(cause))
    }
}

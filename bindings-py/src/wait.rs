//! Waiting for IDs: without the interpreter, up to a time-out, and interruptible by signals.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use leafid_core::{Code, HostTime, Refusal, SharedLine};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::carry;
use crate::errors::{self, Failed, Shared};
use crate::generator::{Generator, Inner};
use crate::kind::Kind;
use crate::live;

/// How often a waiting caller looks for signals.
const SLICE: Duration = Duration::from_millis(50);
/// How often while a test moves the clock: it may leap.
const SLICE_OF_TESTS: Duration = Duration::from_millis(2);

type Face<K> = leafid_core::Generator<<K as Kind>::Core, Arc<SharedLine>>;

impl<K: Kind> Generator<K> {
    /// Tries until it succeeds, what failed cannot be cured by waiting, or the time is up.
    ///
    /// # Errors
    /// What cannot be cured at once; `TIMED_OUT` with the last failure as its cause.
    #[cold]
    pub fn wait_for<T>(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        mut attempt: impl FnMut(&mut Face<K>, HostTime) -> Result<T, Refusal>,
    ) -> PyResult<T> {
        let timeout = timeout.unwrap_or(self.plan.timeout);
        let patience = patience(timeout)?;
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        let mut begun: Option<(Arc<Inner<K>>, u64)> = None;
        loop {
            let inner = self.inner(py)?;
            if let Some(code) = inner.ended.get() {
                return Err(over(py, &inner, *code));
            }
            let mut state = inner.lock();
            let now = inner.clock.exact();
            let refusal = match attempt(&mut state.reserve, now) {
                Ok(value) => {
                    inner.publish(&state);
                    if state.reserve.wants_ask(now) {
                        inner.calls.notify_one();
                    }
                    return Ok(value);
                }
                Err(refusal) => refusal,
            };
            let (answers, last) = (state.answers, state.last.clone());
            let free_in_ms = state.free_at.map(|free_at| free_at.since(now));
            let failing = state.reserve.failure();
            // Waiting for the clock is no reason to call anybody.
            if is_dry(refusal.code) || state.reserve.wants_ask(now) {
                state.demand = true;
                inner.calls.notify_one();
            }
            let carried = std::mem::replace(&mut state.carried, true);
            drop(state);

            if refusal.code.is_permanent() {
                return Err(over_or_refused(py, &inner, refusal));
            }
            // A failure that is older than this call may be mended by now: it is asked again.
            let fresh = match &begun {
                Some((known, before)) => Arc::ptr_eq(known, &inner) && answers > *before,
                None => false,
            };
            if begun.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, &inner)) {
                begun = Some((Arc::clone(&inner), answers));
            }
            if fresh
                && is_dry(refusal.code)
                && failing.is_some_and(Code::is_permanent)
                && let Some(last) = &last
            {
                return Err(last.raise(py));
            }
            if !carried && live::is_exiting() {
                inner.lock().carried = false;
                return Err(over(py, &inner, Code::Closed));
            }
            if !carried {
                carry::start(py, &inner, &self.plan)?;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                let why = Why { refusal, last, free_in_ms };
                return Err(timed_out(py, &inner, timeout, why));
            }
            let pause = pause(&inner, refusal, now, left);
            py.detach(|| inner.rest(answers, pause));
            py.check_signals()?;
        }
    }
}

impl<K: Kind> Inner<K> {
    /// Waits until more answers have come, or so long.
    fn rest(&self, answers: u64, pause: Duration) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let state = self.lock();
        if state.answers == answers && !live::is_exiting() {
            drop(self.answers.wait_timeout(state, pause));
        }
        self.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// How long a caller is ready to wait; `None` is for ever.
fn patience(timeout: f64) -> PyResult<Option<Duration>> {
    if timeout.is_nan() || timeout < 0.0 {
        return Err(PyValueError::new_err(format!("timeout must be 0 or more, got `{timeout}`")));
    }
    Ok(Duration::try_from_secs_f64(timeout).ok())
}

/// A time-out that a constructor is given.
///
/// # Errors
/// `ValueError` below 0, or for what is no number.
pub fn checked_timeout(timeout: f64) -> PyResult<f64> {
    patience(timeout).map(|_| timeout)
}

fn is_dry(code: Code) -> bool {
    matches!(code, Code::SegmentDry | Code::WindowSpent)
}

fn pause<K: Kind>(
    inner: &Inner<K>,
    refusal: Refusal,
    now: HostTime,
    left: Option<Duration>,
) -> Duration {
    let slice = if inner.clock.is_given() { SLICE_OF_TESTS } else { SLICE };
    let until = refusal.until.map_or(slice, |until| {
        Duration::from_millis(u64::try_from(until.since(now)).unwrap_or(0).max(1))
    });
    slice.min(until).min(left.unwrap_or(slice))
}

fn over_or_refused<K: Kind>(py: Python<'_>, inner: &Inner<K>, refusal: Refusal) -> PyErr {
    if refusal.code.stops() {
        return over(py, inner, refusal.code);
    }
    errors::refuse(py, refusal, &inner.about)
}

/// Why a generator is over: in the words in which it was said, if it was.
fn over<K: Kind>(py: Python<'_>, inner: &Inner<K>, code: Code) -> PyErr {
    let last = inner.lock().last.clone();
    match last.filter(|last| last.code == code) {
        Some(last) => last.raise(py),
        None => errors::refuse(py, code.into(), &inner.about),
    }
}

/// Why a caller waited in vain.
struct Why {
    /// What the generator said last.
    refusal: Refusal,
    /// How the last ask failed, if it did.
    last: Option<Shared>,
    /// How long it is until the first worker number is free, where nobody else says it.
    free_in_ms: Option<i64>,
}

fn timed_out<K: Kind>(py: Python<'_>, inner: &Inner<K>, timeout: f64, why: Why) -> PyErr {
    let Why { refusal, last, free_in_ms } = why;
    let cause = match last {
        Some(last) => last.raise(py),
        None => {
            let wait = refusal.until.map(|until| until.since(inner.clock.exact()).max(0));
            let retry_after_ms = wait.and_then(|ms| u32::try_from(ms).ok());
            let said = Failed::about(Refusal::new(refusal.code), &inner.about);
            Failed { retry_after_ms, ..said }.raise(py)
        }
    };
    let mut message = format!("no ID of {} within {timeout} s: {cause}", inner.about);
    if let Some(ms) = free_in_ms.filter(|ms| *ms > 0) {
        message += &format!("; the first is free in {} s", (ms as u64).div_ceil(1_000));
    }
    let error = errors::raise(py, Code::TimedOut, message);
    error.set_cause(py, Some(cause));
    error
}

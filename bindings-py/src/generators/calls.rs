//! Calls of a generator that may have to wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use leafid::driver::{Call, Caller, Core, Holding, State, Waiting};
use leafid_core::{HostTime, Refusal};
use pyo3::prelude::*;

use crate::generators::event_loop;
use crate::generators::generator::PyGenerator;
use crate::generators::many::draw;
use crate::generators::quick::Counted;
use crate::generators::verb::Verb;
use crate::values::{OrRaise as _, errors, outside};

/// The longest wait of `close` for the last release.
pub const LAST_RELEASE: Duration = Duration::from_secs(3);
/// How often `close` checks for signals.
const SLICE: Duration = Duration::from_millis(50);

impl PyGenerator {
    /// This process's holding; the first call in a forked child makes a new one.
    pub fn holding(&self, _py: Python<'_>) -> PyResult<Arc<Holding>> {
        self.generator.holding().or_raise()
    }

    /// One ID, if it is at hand.
    #[inline]
    pub fn at_hand(&self) -> Option<u64> {
        self.generator.last_holding().draw::<Counted>()
    }

    /// Whether a caller waits in an event loop, so that a new one has to queue.
    #[inline]
    pub fn is_queued(&self) -> bool {
        self.generator.last_holding().seats.are_taken()
    }

    /// Tries until it succeeds, until waiting cannot help, or until the time is up. Waits without the
    /// interpreter lock, and handles signals meanwhile.
    ///
    /// # Errors
    /// Errors that waiting cannot cure, at once; the reason to wait, where that would block an event
    /// loop; `TIMED_OUT` with the last failure as its cause; exceptions of a signal's handler.
    #[cold]
    pub fn wait_for<T>(
        &self,
        py: Python<'_>,
        timeout: f64,
        verb: Verb,
        mut draw: impl FnMut(&mut Core, HostTime) -> Result<T, Refusal>,
    ) -> PyResult<T> {
        let (mut callers, mut looked) = (None, false);
        let call = Call::new(verb.count(), timeout);
        loop {
            // Counted until the exception is there: a thread that has to wait for the interpreter
            // lock below this frame, while the interpreter ends, would abort the process.
            let caller = callers.insert(self.holding(py)?.enter());
            let why = match self.attempt(py, caller, &call, &mut draw)? {
                Ok(value) => return Ok(value),
                Err(why) => why,
            };
            if !looked && event_loop::is_in_loop(py)? {
                return Err(errors::of(caller.not_at_hand(&why, &verb.instead())));
            }
            looked = true;
            py.detach(|| caller.rest(&why));
            py.check_signals()?;
        }
    }

    /// Tries a verb once, for a call in an event loop; `Err` is the longest rest before the next try.
    pub fn step(
        slf: &Bound<'_, Self>,
        verb: Verb,
        call: &Call,
    ) -> PyResult<Result<Py<PyAny>, Duration>> {
        let (py, ids) = (slf.py(), slf.get());
        Ok(match verb {
            Verb::Itself => Ok(slf.clone().into_any().unbind()),
            Verb::Ready(0) => Ok(py.None()),
            Verb::Release | Verb::Close => {
                let holding = ids.holding(py)?;
                if verb == Verb::Close && !holding.is_retired() {
                    holding.retire(false);
                }
                let is_so =
                    if verb == Verb::Close { State::is_done } else { State::has_given_back };
                let is_late = call.left() == Some(Duration::ZERO);
                let is_over = holding.within(Duration::ZERO, is_so) || is_late;
                if is_over { Ok(py.None()) } else { Err(SLICE) }
            }
            _ => {
                let caller = ids.holding(py)?.enter();
                match ids.attempt(py, &caller, call, |core, now| draw(core, now, verb))? {
                    Ok(drawn) => Ok(drawn.given(py, verb)?),
                    Err(why) => Err(why.rest),
                }
            }
        })
    }

    /// Tries once, and issues the warnings that wait for a caller.
    fn attempt<T>(
        &self,
        py: Python<'_>,
        caller: &Caller,
        call: &Call,
        draw: impl FnMut(&mut Core, HostTime) -> Result<T, Refusal>,
    ) -> PyResult<Result<T, Waiting>> {
        let warn = || {
            let warnings = caller.said().into_iter();
            warnings
                .map(|said| said.replace('\0', "\u{fffd}"))
                .try_for_each(|said| outside::warn(py, &said))
        };
        warn()?;
        let tried = self.generator.attempt(caller, call, draw);
        // Starting a driver may have left a warning. An ID that was drawn must be returned, and not be lost
        // to a warning that is raised.
        if !matches!(tried, Ok(Ok(_))) {
            warn()?;
        }
        tried.or_raise()
    }
}

/// Whether a condition comes true within 3 s, checked again and again without the interpreter lock.
pub fn until(py: Python<'_>, holding: &Holding, is_so: fn(&State) -> bool) -> PyResult<bool> {
    let deadline = Instant::now() + LAST_RELEASE;
    loop {
        if py.detach(|| holding.within(SLICE, is_so)) {
            return Ok(true);
        }
        py.check_signals()?;
        if Instant::now() >= deadline {
            return Ok(false);
        }
    }
}

//! The generator behind `Segment` and `Snowflake`: its configuration, and its holding in this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use leafid_core::{Code, HostTime, Refusal};
use leafid_wire::put_stats;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::client::driver::{Blocked, Call, Driven, Held, Holding, Kind, State, Waiting};
use crate::client::host::clock::Clock;
use crate::client::host::fork_cell::ForkCell;
use crate::client::host::random;
use crate::generators::event_loop;
use crate::generators::verb::Verb;
use crate::stores::StoreArg;
use crate::testing::PyClock;
use crate::values::{Seconds, checked_timeout, dict, errors, outside};

/// The longest wait of `close` for the last release.
pub const LAST_RELEASE: Duration = Duration::from_secs(3);
/// How often `close` checks for signals.
const SLICE: Duration = Duration::from_millis(50);

static STATS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A generator's pickle: the function that rebuilds it, the class, its arguments.
pub type Rebuilt<'py> =
    (Bound<'py, PyAny>, (Bound<'py, PyAny>, Bound<'py, PyTuple>, Bound<'py, PyDict>));

/// The generator in a `Segment` or a `Snowflake`.
pub struct Generator<K: Kind> {
    pub kind: Arc<K>,
    store: StoreArg,
    clock: Clock,
    /// The default time-out of calls, in s.
    timeout: f64,
    /// The store and the clock as they were passed, for a pickle.
    given: (Option<Py<PyAny>>, Option<Py<PyClock>>),
    pub(super) holding: ForkCell<Holding<K>>,
}

impl<K: Kind> Generator<K> {
    pub fn new(
        kind: K,
        store: StoreArg,
        clock: Option<Bound<'_, PyClock>>,
        timeout: Seconds,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Generator<K>> {
        let given = (given.map(|store| store.clone().unbind()), clock.clone().map(Bound::unbind));
        let clock = PyClock::of(clock.map(|clock| clock.borrow()));
        let (kind, timeout) = (Arc::new(kind), checked_timeout(timeout)?);
        let holding = Holding::build(&kind, &clock, random::seed()?, None)?;
        let holding = ForkCell::new(Arc::new(holding));
        Ok(Generator { kind, store, clock, timeout, given, holding })
    }

    /// A call's time-out in s: its argument, or the default.
    #[inline]
    pub fn timeout(&self, said: Option<Seconds>) -> PyResult<f64> {
        said.map_or(Ok(self.timeout), checked_timeout)
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
        mut draw: impl FnMut(&mut Held<K>, HostTime) -> Result<T, Refusal>,
    ) -> PyResult<T> {
        let (mut caller, mut looked) = (None, false);
        let call = Call::new(timeout);
        loop {
            let holding = self.holding(py)?;
            // Counted until the exception is there: a thread that has to wait for the interpreter
            // lock below this frame, while the interpreter ends, would abort the process.
            drop(caller.replace(holding.enter()));
            let why = match self.try_once(py, &holding, &mut draw)? {
                Ok(value) => return Ok(value),
                Err(why) => why,
            };
            let patience = holding.patience(&call, &why)?;
            if !looked && event_loop::is_in_loop(py)? {
                return Err(holding.not_at_hand(&why, &verb.instead()).into());
            }
            looked = true;
            py.detach(|| holding.rest(&why, patience));
            py.check_signals()?;
        }
    }

    /// Tries once; `Err` is the longest rest before the next try.
    pub fn attempt<T>(
        &self,
        py: Python<'_>,
        call: &Call,
        draw: impl FnMut(&mut Held<K>, HostTime) -> Result<T, Refusal>,
    ) -> PyResult<Result<T, Duration>> {
        let holding = self.holding(py)?;
        let _counted = holding.enter();
        match self.try_once(py, &holding, draw)? {
            Ok(value) => Ok(Ok(value)),
            Err(why) => Ok(Err(holding.patience(call, &why)?)),
        }
    }

    fn try_once<T>(
        &self,
        py: Python<'_>,
        holding: &Arc<Holding<K>>,
        draw: impl FnMut(&mut Held<K>, HostTime) -> Result<T, Refusal>,
    ) -> PyResult<Result<T, Waiting>> {
        // Warns why a state file is not used.
        for message in holding.said() {
            outside::warn(py, &message.replace('\0', "\u{fffd}"))?;
        }
        let why = match holding.attempt(draw) {
            Ok(value) => return Ok(Ok(value)),
            Err(Blocked::Failed(failed)) => return Err(failed.into()),
            Err(Blocked::Waiting(why)) => why,
        };
        if why.needs_driver {
            self.store.drive(py, Arc::clone(holding) as Arc<dyn Driven>)?;
        }
        Ok(Err(why))
    }

    /// One ID, if it is at hand.
    #[inline]
    pub fn at_hand(&self) -> Option<u64> {
        self.holding.get().draw()
    }

    /// One ID, if it is at hand and no caller waits in an event loop.
    #[inline]
    pub fn draw_unqueued(&self) -> Option<u64> {
        let holding = self.holding.get();
        if holding.bells.are_hung() { None } else { holding.draw() }
    }

    /// This process's holding; the first call in a forked child makes a new one.
    pub fn holding(&self, _py: Python<'_>) -> PyResult<Arc<Holding<K>>> {
        let held = self.holding.get();
        if !held.is_current() {
            let own = Holding::build(&self.kind, &self.clock, random::seed()?, Some(held))?;
            self.holding.replace(Arc::new(own));
        }
        Ok(self.holding.share())
    }

    /// Closes the line and gives back the unused part of a window.
    pub fn close(&self, py: Python<'_>, gives_up: bool) -> PyResult<()> {
        let holding = self.holding(py)?;
        holding.retire(gives_up);
        until(py, || holding.within(SLICE, State::is_done)).map(drop)
    }

    /// Drops every right, in memory and in the state file.
    ///
    /// # Errors
    /// `STATE_INVALID` where the file could not be written: the process must not be started again
    /// with it. Exceptions of a signal's handler.
    pub fn forget(&self, py: Python<'_>) -> PyResult<()> {
        let holding = self.holding(py)?;
        holding.forget();
        if until(py, || holding.within(SLICE, State::is_void))? {
            return Ok(());
        }
        let message = "the state file could not be made void within 3 s: remove it";
        Err(errors::raise(Code::StateInvalid, message))
    }

    /// Whether the generator is open and has asked for nothing yet, here or in a process that forked this.
    pub fn is_unused(&self, py: Python<'_>) -> PyResult<bool> {
        let holding = self.holding(py)?;
        let stats = holding.stats();
        Ok(!holding.is_closed() && stats.asks == 0 && stats.ids == 0)
    }

    /// The pickle of this generator: its name and store, and the other arguments by name.
    pub fn rebuilt<'py>(
        &self,
        class: Bound<'py, PyAny>,
        name: &str,
        how: Bound<'py, PyDict>,
    ) -> PyResult<Rebuilt<'py>> {
        let py = class.py();
        how.set_item("timeout", self.timeout)?;
        let (store, clock) = &self.given;
        if let Some(clock) = clock {
            how.set_item("clock", clock)?;
        }
        let args = (name, store.as_ref()).into_pyobject(py)?;
        let make = py.import("copyreg")?.getattr("__newobj_ex__")?;
        Ok((make, (class, args, how)))
    }

    pub fn give_back(&self, py: Python<'_>) -> PyResult<()> {
        Ok(self.holding(py)?.give_back(random::seed()?)?)
    }

    /// Gives back what is in hand, and waits up to 3 s until it is sent.
    pub fn release(&self, py: Python<'_>) -> PyResult<()> {
        self.give_back(py)?;
        let holding = self.holding(py)?;
        until(py, || holding.within(SLICE, State::has_given_back)).map(drop)
    }

    /// Succeeds when everything is given back, or no time is left; with `closes`, closes the line first.
    /// `Err` is the rest before the next check.
    pub fn given_back(
        &self,
        py: Python<'_>,
        call: &Call,
        closes: bool,
    ) -> PyResult<Result<(), Duration>> {
        let holding = self.holding(py)?;
        if closes && !holding.is_retired() {
            holding.retire(false);
        }
        let is_so = if closes { State::is_done } else { State::has_given_back };
        let over = holding.within(Duration::ZERO, is_so) || call.left() == Some(Duration::ZERO);
        Ok(if over { Ok(()) } else { Err(SLICE) })
    }

    /// The counters, as `leafid.Stats`.
    pub fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stats = self.holding(py)?.stats();
        let fields: Bound<'_, PyDict> = dict::written(py, |to| put_stats(&stats, to))?;
        let class = STATS.get_or_try_init(py, || {
            outside::of_module(py, "leafid._values", "Stats").map(Bound::unbind)
        })?;
        outside::call(class.bind(py), (), Some(&fields))
    }
}

/// Whether a condition comes true within 3 s, checked again and again without the interpreter lock.
fn until(py: Python<'_>, is_so: impl Fn() -> bool + Send + Sync) -> PyResult<bool> {
    let deadline = Instant::now() + LAST_RELEASE;
    loop {
        if py.detach(&is_so) {
            return Ok(true);
        }
        py.check_signals()?;
        if Instant::now() >= deadline {
            return Ok(false);
        }
    }
}

impl<K: Kind> Drop for Generator<K> {
    fn drop(&mut self) {
        // A child leaves an inherited holding untouched.
        if self.holding.get().is_current() {
            self.holding.give_back().retire(false);
        }
    }
}

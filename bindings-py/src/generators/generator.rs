//! The class under `Segment` and `Snowflake`: their generator, and the methods of both.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use leafid::driver::{Chosen, Config, Generator, State, each};
use leafid_core::Code;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::generators::awaiting::awaitable;
use crate::generators::calls::{LAST_RELEASE, until};
use crate::generators::many::checked_count;
use crate::generators::verb::Verb;
use crate::stores::Hold;
use crate::testing::PyClock;
use crate::values::{Buffer, OrRaise as _, Seconds, checked_timeout, errors, outside};

static STATS: OnceLock<Py<PyAny>> = OnceLock::new();

/// A generator of IDs: a `Segment` or a `Snowflake`.
#[pyclass(frozen, subclass, weakref, name = "Generator", module = "leafid")]
pub struct PyGenerator {
    pub generator: Generator,
    /// The reference to a user's own store, until `finish` takes it.
    hold: Mutex<Option<Arc<Hold>>>,
    /// The class's arguments as they were passed, for a pickle.
    given: OnceLock<(Py<PyTuple>, Option<Py<PyDict>>)>,
}

impl PyGenerator {
    pub fn new(
        config: Config,
        (store, hold): (Chosen, Option<Arc<Hold>>),
        clock: Option<PyRef<'_, PyClock>>,
        timeout: Seconds,
    ) -> PyResult<PyGenerator> {
        let (clock, timeout) = (PyClock::of(clock), checked_timeout(timeout)?);
        let generator = Generator::new(config, store, clock, timeout).or_raise()?;
        Ok(PyGenerator { generator, hold: hold.into(), given: OnceLock::new() })
    }

    /// Closes a generator that draws from a user's own store, before the store is freed: the last release needs it. The
    /// interpreter calls this, as the finalizer, when no reference to the generator is left.
    pub fn finish(&self) {
        let hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner).take();
        hold.into_iter().for_each(|hold| self.generator.retire_with(Box::new(hold)));
    }

    /// A call's time-out in s: its argument, or the default.
    #[inline]
    pub fn timeout(&self, said: Option<Seconds>) -> PyResult<f64> {
        said.map_or(Ok(self.generator.timeout), checked_timeout)
    }

    /// The tag or namespace.
    pub fn name(&self) -> &str {
        self.generator.config.name()
    }
}

#[pymethods]
impl PyGenerator {
    /// Shows the store to the collector: an object may have its generators in an attribute.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // No thread is inside of `finish` while the collector runs.
        if let Ok(Some(hold)) = self.hold.try_lock().as_deref() {
            visit.call(hold.object())?;
        }
        let Some((args, how)) = self.given.get() else { return Ok(()) };
        visit.call(args)?;
        visit.call(how)
    }

    /// `Segment[OrderId]` says of what type the IDs are, to type checkers alone.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        outside::call(
            &outside::of_module(class.py(), "types", "GenericAlias")?,
            (class, item),
            None,
        )
    }

    /// Keeps the arguments for a pickle.
    #[pyo3(signature = (*args, **how))]
    fn __init__(&self, args: Py<PyTuple>, how: Option<Py<PyDict>>) {
        let _ = self.given.set((args, how));
    }

    /// One ID. While none is at hand, waits up to `timeout` seconds (by default the
    /// generator's) without the interpreter lock, then raises `TimedOutError`, whose
    /// `__cause__` is the last failure. Errors that waiting cannot cure are raised at once.
    #[pyo3(signature = (timeout = None))]
    fn next(&self, py: Python<'_>, timeout: Option<Seconds>) -> PyResult<Py<PyAny>> {
        self.call(py, Verb::Next, timeout)
    }

    /// `n` IDs, ascending: all of them, or an exception, and then none is used up. Waits
    /// as `next` does; raises `CountInvalidError` at once for more than a single call can
    /// ever get. `take(0)` is an empty list, without a wait.
    #[pyo3(signature = (n, timeout = None))]
    fn take(&self, n: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<Py<PyAny>> {
        self.call(n.py(), Verb::Take(checked_count(n)?), timeout)
    }

    /// Fills a buffer of 64-bit integers (`array('Q')`, NumPy) with IDs, ascending: all of
    /// it, or an exception, and the buffer is unchanged. Waits, and is limited, as `take`.
    #[pyo3(signature = (buffer, timeout = None))]
    fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
        let (py, mut into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        let verb = Verb::Fill(into.len() as u64);
        if verb.count() == 0 {
            return Ok(());
        }
        // All or nothing: the core writes only once all IDs are there.
        self.wait_for(
            py,
            timeout,
            verb,
            |core, now| each!(Core, core, core => core.fill(now, into.integers(py))),
        )
    }

    /// Writes the IDs at hand to the beginning of a buffer, ascending, and returns how many
    /// there were; the rest of the buffer is unchanged. Waits as `next` does until at least
    /// one is at hand.
    #[pyo3(signature = (buffer, timeout = None))]
    fn fill_available(
        &self,
        buffer: &Bound<'_, PyAny>,
        timeout: Option<Seconds>,
    ) -> PyResult<usize> {
        let (py, mut into, timeout) = (buffer.py(), Buffer::of(buffer)?, self.timeout(timeout)?);
        if into.len() == 0 {
            return Ok(0);
        }
        self.wait_for(
            py,
            timeout,
            Verb::Fill(1),
            |core, now| each!(Core, core, core => core.fill_available(now, into.integers(py))),
        )
    }

    /// Waits until `n` IDs are at hand, so that the next `n` calls of `next(timeout=0)`
    /// succeed. Draws nothing and reserves nothing: other threads draw from the same IDs.
    /// `ready(0)` returns at once, and asks the store for nothing.
    #[pyo3(signature = (n, timeout = None))]
    fn ready(&self, n: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<Py<PyAny>> {
        self.call(n.py(), Verb::Ready(checked_count(n)?), timeout)
    }

    /// Looks for the store now, as the first ID does: raises if no store is named, or its name
    /// is none. Asks the store for nothing; `ready(1)` does.
    fn check(&self) -> PyResult<()> {
        self.generator.check().or_raise()
    }

    /// Closes the generator: the rest of a window is given back, the rest of a segment
    /// becomes a gap. A forked child sends nothing on its parent's behalf. Closing twice
    /// is harmless.
    ///
    /// A window that a state file keeps is left for the next run of the process; with
    /// `release` it is given back too, for a process that will not be started again.
    #[pyo3(signature = (*, release = false))]
    fn close(&self, py: Python<'_>, release: bool) -> PyResult<()> {
        let holding = self.holding(py)?;
        holding.retire(release);
        until(py, &holding, State::is_done).map(drop)
    }

    /// Gives back what is in hand: the rest of a window becomes free for others, the rest of
    /// a segment a gap. The generator goes on: its next ID waits for a new range. For a worker
    /// process that ends without its interpreter's exit handlers, or pauses for long.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let holding = self.holding(py)?;
        holding.give_back().or_raise()?;
        until(py, &holding, State::has_given_back).map(drop)
    }

    /// Drops every range and every connection at once, and sends nothing. For a memory
    /// image that was copied and resumed, which no program can detect; a fork is detected
    /// without it. The next ID waits for a new range. A window in a state file is dropped
    /// as well: the file is void when this returns.
    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        let holding = self.holding(py)?;
        holding.forget();
        if until(py, &holding, State::is_void)? {
            return Ok(());
        }
        // The process must not be started again with it.
        let message = "the state file could not be made void within 3 s: remove it";
        Err(errors::raise(Code::StateInvalid, message))
    }

    /// The generator's counters, in this process.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let s = self.holding(py)?.stats();
        let (last_code, state_code) =
            (s.last_code.map(Code::as_str), s.state_code.map(Code::as_str));
        // In the order of the fields.
        let fields = (
            s.ids,
            s.asks,
            s.grants,
            s.failures,
            s.waits,
            s.dropped,
            s.gaps,
            s.in_hand,
            s.step,
            s.offset_ms,
            last_code,
            state_code,
        );
        let class = outside::once(&STATS, || {
            outside::of_module(py, "leafid._values", "Stats").map(Bound::unbind)
        })?;
        outside::call(class.bind(py), fields, None)
    }

    /// Whether the generator was closed, or stopped for good.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.holding(py)?.is_closed())
    }

    /// As `next`, awaited: while an ID is at hand the await completes at once, without a
    /// task switch; else it waits without blocking the event loop. Callers of one loop
    /// are served in order. A cancelled caller loses at most the ID that it was to get.
    #[pyo3(signature = (timeout = None))]
    fn anext<'py>(slf: &Bound<'py, Self>, timeout: Option<Seconds>) -> PyResult<Bound<'py, PyAny>> {
        let timeout = slf.get().timeout(timeout)?;
        awaitable(slf, Verb::Next, timeout)
    }

    /// As `take`, awaited.
    #[pyo3(signature = (n, timeout = None))]
    fn atake<'py>(
        slf: &Bound<'py, Self>,
        n: &Bound<'py, PyAny>,
        timeout: Option<Seconds>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let timeout = slf.get().timeout(timeout)?;
        awaitable(slf, Verb::Take(checked_count(n)?), timeout)
    }

    /// As `ready`, awaited.
    #[pyo3(signature = (n, timeout = None))]
    fn aready<'py>(
        slf: &Bound<'py, Self>,
        n: &Bound<'py, PyAny>,
        timeout: Option<Seconds>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let timeout = slf.get().timeout(timeout)?;
        awaitable(slf, Verb::Ready(checked_count(n)?), timeout)
    }

    /// As `release`, awaited: the await completes when everything to be given back was
    /// sent, or after 3 s.
    fn arelease<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().holding(slf.py())?.give_back().or_raise()?;
        awaitable(slf, Verb::Release, LAST_RELEASE.as_secs_f64())
    }

    /// As `close`, awaited: the generator is closed at once, and the await completes when
    /// everything to be given back was sent, or after 3 s.
    fn aclose<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        awaitable(slf, Verb::Close, LAST_RELEASE.as_secs_f64())
    }

    fn __aiter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __aenter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        awaitable(slf, Verb::Itself, 0.0)
    }

    #[pyo3(signature = (*_exception))]
    fn __aexit__<'py>(
        slf: &Bound<'py, Self>,
        _exception: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::aclose(slf)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py, false)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("{}({:?})", slf.get_type().name()?, slf.get().name()))
    }

    /// Pickles an unused generator as its class and arguments.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, class, ids) = (slf.py(), slf.get_type(), slf.get());
        let holding = ids.holding(py)?;
        let stats = holding.stats();
        // In this process, and in those that forked it.
        if holding.is_closed() || stats.asks > 0 || stats.ids > 0 {
            return Err(PyTypeError::new_err(format!(
                "a `{}` that has begun cannot be copied or pickled, because its ranges would be used \
                 twice: pass on one that has given no ID yet, or create another one in the other process",
                class.name()?
            )));
        }
        let (args, how) =
            ids.given.get().ok_or_else(|| PyTypeError::new_err("made by `__new__`"))?;
        let how = how.as_ref().map(|how| how.bind(py));
        let make = py.import("functools")?.getattr("partial")?.call((class,), how)?;
        Ok((make, args.bind(py).clone()))
    }
}

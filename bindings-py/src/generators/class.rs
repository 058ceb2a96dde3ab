//! The methods that `Segment` and `Snowflake` share, written once as a macro.

/// Defines the Python class of a generator: its own constructor and getters, and the shared methods.
macro_rules! generator_class {
    ($class:ident, $kind:ty, { $($own:tt)* }) => {
        impl $crate::generators::awaiting::HasGenerator for $class {
            type Kind = $kind;

            fn generator(&self) -> &Generator<$kind> {
                &self.0
            }

            fn made() -> &'static Made {
                static MADE: Made = Made::new();
                &MADE
            }
        }

        #[pymethods]
        impl $class {
            $($own)*

            /// One ID. While none is at hand, waits up to `timeout` seconds (by default the
            /// generator's) without the interpreter lock, then raises `TimedOutError`, whose
            /// `__cause__` is the last failure. Errors that waiting cannot cure are raised at once.
            #[pyo3(signature = (timeout = None))]
            fn next(&self, py: Python<'_>, timeout: Option<Seconds>) -> PyResult<Py<PyAny>> {
                self.0.call(py, Verb::Next, timeout)
            }

            /// `n` IDs, ascending: all of them, or an exception, and then none is used up. Waits
            /// as `next` does; raises `CountInvalidError` at once for more than a single call can
            /// ever get. `take(0)` is an empty list, without a wait.
            #[pyo3(signature = (n, timeout = None))]
            fn take(
                &self,
                n: &Bound<'_, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<Py<PyAny>> {
                self.0.call(n.py(), Verb::Take(checked_count(n)?), timeout)
            }

            /// Fills a buffer of 64-bit integers (`array('Q')`, NumPy) with IDs, ascending: all of
            /// it, or an exception, and the buffer is unchanged. Waits, and is limited, as `take`.
            #[pyo3(signature = (buffer, timeout = None))]
            fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
                self.0.fill(buffer, timeout)
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
                self.0.fill_available(buffer, timeout)
            }

            /// Waits until `n` IDs are at hand, so that the next `n` calls of `next(timeout=0)`
            /// succeed. Draws nothing and reserves nothing: other threads draw from the same IDs.
            /// `ready(0)` returns at once, and asks the store for nothing.
            #[pyo3(signature = (n, timeout = None))]
            fn ready(
                &self,
                n: &Bound<'_, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<Py<PyAny>> {
                self.0.call(n.py(), Verb::Ready(checked_count(n)?), timeout)
            }

            /// Closes the generator: the rest of a window is given back, the rest of a segment
            /// becomes a gap. A forked child sends nothing on its parent's behalf. Closing twice
            /// is harmless.
            ///
            /// A window that a state file keeps is left for the next run of the process; with
            /// `release` it is given back too, for a process that will not be started again.
            #[pyo3(signature = (*, release = false))]
            fn close(&self, py: Python<'_>, release: bool) -> PyResult<()> {
                self.0.close(py, release)
            }

            /// Gives back what is in hand: the rest of a window becomes free for others, the rest of
            /// a segment a gap. The generator goes on: its next ID waits for a new range. For a worker
            /// process that ends without its interpreter's exit handlers, or pauses for long.
            fn release(&self, py: Python<'_>) -> PyResult<()> {
                self.0.release(py)
            }

            /// Drops every range and every connection at once, and sends nothing. For a memory
            /// image that was copied and resumed, which no program can detect; a fork is detected
            /// without it. The next ID waits for a new range. A window in a state file is dropped
            /// as well: the file is void when this returns.
            fn forget(&self, py: Python<'_>) -> PyResult<()> {
                self.0.forget(py)
            }

            /// The generator's counters, in this process.
            fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.0.stats(py)
            }

            /// Whether the generator was closed, or stopped for good.
            #[getter]
            fn closed(&self, py: Python<'_>) -> PyResult<bool> {
                Ok(self.0.holding(py)?.is_closed())
            }

            /// As `next`, awaited: while an ID is at hand the await completes at once, without a
            /// task switch; else it waits without blocking the event loop. Callers of one loop
            /// are served in order. A cancelled caller loses at most the ID that it was to get.
            #[pyo3(signature = (timeout = None))]
            fn anext<'py>(
                slf: &Bound<'py, Self>,
                timeout: Option<Seconds>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let timeout = slf.get().0.timeout(timeout)?;
                awaitable(slf, Self::FACE, Verb::Next, timeout)
            }

            /// As `take`, awaited.
            #[pyo3(signature = (n, timeout = None))]
            fn atake<'py>(
                slf: &Bound<'py, Self>,
                n: &Bound<'py, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let timeout = slf.get().0.timeout(timeout)?;
                awaitable(slf, Self::FACE, Verb::Take(checked_count(n)?), timeout)
            }

            /// As `ready`, awaited.
            #[pyo3(signature = (n, timeout = None))]
            fn aready<'py>(
                slf: &Bound<'py, Self>,
                n: &Bound<'py, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let timeout = slf.get().0.timeout(timeout)?;
                awaitable(slf, Self::FACE, Verb::Ready(checked_count(n)?), timeout)
            }

            /// As `release`, awaited: the await completes when everything to be given back was
            /// sent, or after 3 s.
            fn arelease<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                slf.get().0.give_back(slf.py())?;
                awaitable(slf, Self::FACE, Verb::Release, LAST_RELEASE.as_secs_f64())
            }

            /// As `close`, awaited: the generator is closed at once, and the await completes when
            /// everything to be given back was sent, or after 3 s.
            fn aclose<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                awaitable(slf, Self::FACE, Verb::Close, LAST_RELEASE.as_secs_f64())
            }

            fn __aiter__(slf: Py<Self>) -> Py<Self> {
                slf
            }

            fn __anext__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                awaitable(slf, Self::FACE, Verb::Next, slf.get().0.timeout(None)?)
            }

            fn __aenter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                awaitable(slf, Self::FACE, Verb::Itself, 0.0)
            }

            #[pyo3(signature = (*_exception))]
            fn __aexit__<'py>(
                slf: &Bound<'py, Self>,
                _exception: &Bound<'py, PyTuple>,
            ) -> PyResult<Bound<'py, PyAny>> {
                awaitable(slf, Self::FACE, Verb::Close, LAST_RELEASE.as_secs_f64())
            }

            fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                ids(slf)
            }

            fn __next__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                self.0.call(py, Verb::Next, None)
            }

            /// Pickles an unused generator as its class and arguments.
            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Rebuilt<'py>> {
                let generator = &slf.get().0;
                if !generator.is_unused(slf.py())? {
                    return Err(PyTypeError::new_err(concat!(
                        "a `",
                        stringify!($class),
                        "` that has begun cannot be copied or pickled, because its ranges would ",
                        "be used twice: pass on one that has given no ID yet, or create another ",
                        "one in the other process"
                    )));
                }
                let (name, how) = slf.get().made_of(slf.py())?;
                generator.rebuilt(slf.get_type().into_any(), name, how)
            }

            fn __enter__(slf: Py<Self>) -> Py<Self> {
                slf
            }

            #[pyo3(signature = (*_exception))]
            fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
                self.0.close(py, false)
            }
        }
    };
}
pub(crate) use generator_class;

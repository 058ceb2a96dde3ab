//! The verbs that both generators have, written once.

/// The Python class of a generator: its own constructor and getters, and the verbs of both.
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
            /// `__cause__` is the last failure. What waiting cannot cure is raised at once.
            #[pyo3(signature = (timeout = None))]
            fn next(&self, py: Python<'_>, timeout: Option<Seconds>) -> PyResult<Py<PyAny>> {
                self.0.call(py, Verb::Next, timeout)
            }

            /// `n` IDs, ascending: all of them, or an exception and nothing is spent. Waits as
            /// `next` does; for more than can ever be had at once, raises `CountInvalidError` at
            /// once. `take(0)` is an empty list, without a wait.
            #[pyo3(signature = (n, timeout = None))]
            fn take(
                &self,
                n: &Bound<'_, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<Py<PyAny>> {
                self.0.call(n.py(), Verb::Take(checked_count(n)?), timeout)
            }

            /// Fills a buffer of 64-bit integers (`array('Q')`, NumPy) with IDs, ascending: all of
            /// it, or an exception, and the buffer is as it was. Waits, and is limited, as `take`.
            #[pyo3(signature = (buffer, timeout = None))]
            fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<Seconds>) -> PyResult<()> {
                self.0.fill(buffer, timeout)
            }

            /// Writes the IDs at hand to the beginning of a buffer, ascending, and returns how many;
            /// the rest of the buffer is left as it was. Waits as `next` does until at least one is
            /// at hand.
            #[pyo3(signature = (buffer, timeout = None))]
            fn fill_available(
                &self,
                buffer: &Bound<'_, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<usize> {
                self.0.fill_available(buffer, timeout)
            }

            /// Waits until `n` IDs are at hand, so that the next `n` calls of `next(timeout=0)` do
            /// not have to. Draws nothing and reserves nothing: other threads draw from the same.
            /// `ready(0)` returns at once, and asks for nothing.
            #[pyo3(signature = (n, timeout = None))]
            fn ready(
                &self,
                n: &Bound<'_, PyAny>,
                timeout: Option<Seconds>,
            ) -> PyResult<Py<PyAny>> {
                self.0.call(n.py(), Verb::Ready(checked_count(n)?), timeout)
            }

            /// Closes the generator: the rest of a window is given back, the rest of a segment
            /// becomes a gap. A forked child sends nothing in its parent's name. Closing twice is
            /// harmless.
            ///
            /// What a state file keeps is not given back, but for the process's next life; with
            /// `release` it is: for a process that will not come back.
            #[pyo3(signature = (*, release = false))]
            fn close(&self, py: Python<'_>, release: bool) -> PyResult<()> {
                self.0.close(py, release)
            }

            /// Gives back what is in hand: the rest of a window is free for others, that of a segment
            /// becomes a gap. The generator goes on: its next ID waits for a new range. For a worker
            /// that ends without the end of its interpreter, or that pauses for long.
            fn release(&self, py: Python<'_>) -> PyResult<()> {
                self.0.release(py)
            }

            /// Drops every range and every connection at once, and sends nothing. For a memory
            /// image that was copied and resumed, which no program can notice; a fork is noticed
            /// without it. The next ID waits for a new range. What a state file keeps is dropped as
            /// well, and is gone when this returns.
            fn forget(&self, py: Python<'_>) -> PyResult<()> {
                self.0.forget(py)
            }

            /// What the generator did so far, in this process.
            fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.0.stats(py)
            }

            /// Whether it was closed, or stopped for good.
            #[getter]
            fn closed(&self, py: Python<'_>) -> PyResult<bool> {
                Ok(self.0.holding(py)?.is_closed())
            }

            /// As `next`, awaited: while an ID is at hand the await is over at once, without a
            /// switch to another task; else it waits without stopping the event loop. Callers of
            /// one loop are served in order. Who is cancelled loses at most what it was to get.
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

            /// As `release`, awaited: the await is over when what is to be given back was sent, or
            /// after 3 s.
            fn arelease<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                slf.get().0.give_back(slf.py())?;
                awaitable(slf, Self::FACE, Verb::Release, LAST_RELEASE.as_secs_f64())
            }

            /// As `close`, awaited: the line is closed at once, and the await is over when what is
            /// to be given back was sent, or after 3 s.
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

            /// One that has asked for nothing is made again from what it was made of.
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

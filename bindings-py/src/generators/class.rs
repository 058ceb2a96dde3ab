//! The verbs that both generators have, written once.

/// The Python class of a generator: its own constructor and getters, and the verbs of both.
macro_rules! generator_class {
    ($class:ident, { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// One ID. Waits up to `timeout` seconds (the generator's, if not said) while none is
            /// at hand, without the interpreter lock; then raises `TimedOutError`, whose
            /// `__cause__` is the last failure. What waiting cannot cure is raised at once.
            #[pyo3(signature = (timeout = None))]
            fn next(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<u64> {
                self.0.next(py, timeout)
            }

            /// `n` IDs, ascending: all, or an exception and nothing is spent. Waits as `next`
            /// does; more than can ever be had in one go is `CountInvalidError` at once.
            #[pyo3(signature = (n, timeout = None))]
            fn take<'py>(
                &self,
                py: Python<'py>,
                n: i64,
                timeout: Option<f64>,
            ) -> PyResult<Bound<'py, PyList>> {
                self.0.take(py, n, timeout)
            }

            /// Fills a buffer of 64-bit integers (`array('Q')`, NumPy) with IDs, ascending: all of
            /// it, or an exception, and the buffer is as it was. Limits and waiting as `take`.
            #[pyo3(signature = (buffer, timeout = None))]
            fn fill(&self, buffer: &Bound<'_, PyAny>, timeout: Option<f64>) -> PyResult<()> {
                self.0.fill(buffer, timeout)
            }

            /// Writes the IDs at hand into the beginning of a buffer, ascending, and returns how
            /// many; what is behind them is left as it was. Waits as `next` does while not even
            /// one is at hand.
            #[pyo3(signature = (buffer, timeout = None))]
            fn fill_available(
                &self,
                buffer: &Bound<'_, PyAny>,
                timeout: Option<f64>,
            ) -> PyResult<usize> {
                self.0.fill_available(buffer, timeout)
            }

            /// Waits until `n` IDs are at hand, so that the next `n` calls of `next(timeout=0)` need
            /// not wait. Nothing is drawn, and nothing is kept for this caller: other threads take
            /// of the same.
            #[pyo3(signature = (n, timeout = None))]
            fn ready(&self, py: Python<'_>, n: i64, timeout: Option<f64>) -> PyResult<()> {
                self.0.ready(py, n, timeout)
            }

            /// Stops: a window's rest is given back, a segment's rest is a gap. In a forked child
            /// nothing is sent in the parent's name. Harmless when repeated.
            fn close(&self, py: Python<'_>) -> PyResult<()> {
                self.0.close(py)
            }

            /// Drops every right and every connection at once, and sends nothing: after a copied
            /// memory image was resumed. (A fork is noticed without it.) The next ID waits for a
            /// new range.
            fn forget(&self, py: Python<'_>) -> PyResult<()> {
                self.0.holding(py)?.forget();
                Ok(())
            }

            /// What it did so far.
            fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.0.stats(py)
            }

            /// Whether it is closed, or was stopped for good.
            #[getter]
            fn closed(&self, py: Python<'_>) -> PyResult<bool> {
                Ok(self.0.holding(py)?.ended.get().is_some())
            }

            fn __iter__(slf: Py<Self>) -> Py<Self> {
                slf
            }

            fn __next__(&self, py: Python<'_>) -> PyResult<u64> {
                self.0.next(py, None)
            }

            fn __enter__(slf: Py<Self>) -> Py<Self> {
                slf
            }

            #[pyo3(signature = (*_exception))]
            fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
                self.0.close(py)
            }
        }
    };
}
pub(crate) use generator_class;

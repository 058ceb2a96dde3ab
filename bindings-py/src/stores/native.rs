//! The methods of our stores, which tests and stores around them call.

use std::sync::Arc;

use leafid::stores::Backend;
use leafid_core::{Ask, Grant};
use leafid_wire::Fields;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::{OrRaise as _, dict};

/// The class under `HttpStore` and `MemoryStore`. Each call has a connection of its own.
#[pyclass(frozen, subclass, name = "_Store", module = "leafid._native")]
pub struct NativeStore(pub Arc<dyn Backend>);

#[pymethods]
impl NativeStore {
    /// Leases numbers of a tag.
    fn lease_segment<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Segment)
    }

    /// Grants a worker number and a window on it.
    fn acquire<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Acquire)
    }

    /// Extends a window.
    fn renew<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.serve(ask, Ask::Renew)
    }

    /// Takes back the rest of a window.
    fn release<'py>(&self, ask: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let (py, release) = (ask.py(), dict::read(ask, "the release")?);
        py.detach(|| Arc::clone(&self.0).connect().release(&release)).or_raise()?;
        Ok(PyDict::new(py))
    }
}

impl NativeStore {
    fn serve<'py, A: Fields>(
        &self,
        ask: &Bound<'py, PyAny>,
        of: impl FnOnce(A) -> Ask,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, ask) = (ask.py(), of(dict::read(ask, "the ask")?));
        let grant = py.detach(|| Arc::clone(&self.0).connect().ask(&ask)).or_raise()?;
        dict::written(py, |to| match &grant {
            Grant::Segment(grant) => grant.put(to),
            Grant::Window(grant) => grant.put(to),
        })
    }
}

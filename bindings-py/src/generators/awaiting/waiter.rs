//! What `leafid._aio` waits with.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::client::driver::{Bell, Call};
use crate::generators::awaiting::Face;
use crate::generators::verb::Verb;

/// A call that waits in an event loop.
#[pyclass(frozen, module = "leafid._native")]
pub struct Waiter {
    owner: Py<PyAny>,
    face: &'static Face,
    verb: Verb,
    call: Call,
}

impl Waiter {
    pub fn new(owner: Py<PyAny>, face: &'static Face, verb: Verb, call: Call) -> Waiter {
        Waiter { owner, face, verb, call }
    }
}

#[pymethods]
impl Waiter {
    /// Tries once: `(True, value)`, or `(False, seconds)`: how long to rest before the next try, at
    /// most. Raises what waiting cannot cure, and `TimedOutError` when its time is up.
    fn step(&self, py: Python<'_>) -> PyResult<(bool, Py<PyAny>)> {
        match (self.face.step)(self.owner.bind_borrowed(py), self.verb, &self.call)? {
            Ok(value) => Ok((true, value)),
            Err(pause) => Ok((false, pause.as_secs_f64().into_pyobject(py)?.into_any().unbind())),
        }
    }

    /// How many IDs are at hand after an ask that failed; 0 while the store answers.
    fn spare(&self, py: Python<'_>) -> u64 {
        (self.face.spare)(self.owner.bind_borrowed(py))
    }

    /// How many IDs it wants.
    #[getter]
    fn count(&self) -> u64 {
        self.verb.count()
    }

    /// Rings with every answer; while it is there, others line up.
    fn bell(&self, py: Python<'_>) -> PyResult<LoopBell> {
        (self.face.bell)(self.owner.bind_borrowed(py)).map(LoopBell)
    }

    /// Whose IDs it waits for; `None` if for none.
    #[getter]
    fn source(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        (!matches!(self.verb, Verb::Close | Verb::Release)).then(|| self.owner.clone_ref(py))
    }

    /// How many seconds it may wait yet; `None` is for ever.
    #[getter]
    fn left(&self) -> Option<f64> {
        self.call.left().map(|left| left.as_secs_f64())
    }
}

/// Rings until it is dropped.
#[pyclass(frozen, module = "leafid._native")]
pub struct LoopBell(Arc<Bell>);

#[pymethods]
impl LoopBell {
    /// What an event loop watches; `None` where it has to look by itself.
    fn descriptor(&self) -> Option<i32> {
        self.0.descriptor()
    }

    /// Makes it ready to ring again.
    fn hush(&self) {
        self.0.hush();
    }
}

//! Exceptions: one class per code, all under `leafid.LeafidError`.

use std::sync::OnceLock;

use leafid::{Cause, Error};
use leafid_core::{Code, Refusal};
use leafid_wire::Subject;
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule};

use crate::values::outside;

/// The exception for a failure, with the failure's cause as its `__cause__`.
pub fn of(failed: Error) -> PyErr {
    Python::attach(|py| exception(py, &failed).unwrap_or_else(|broken| broken))
}

/// A result whose failure is raised.
pub trait OrRaise<T> {
    /// Converts the failure to an exception.
    ///
    /// # Errors
    /// The exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(of)
    }
}

fn exception(py: Python<'_>, failed: &Error) -> PyResult<PyErr> {
    let (until_ms, retry_after_ms) = failed.retry();
    let how = PyDict::new(py);
    how.set_item("until_ms", until_ms)?;
    how.set_item("retry_after", retry_after_ms.map(|ms| f64::from(ms) / 1_000.0))?;
    let class = module(py)?.getattr(format!("{:?}Error", failed.code()))?;
    let error = PyErr::from_value(outside::call(&class, (failed.to_string(),), Some(&how))?);
    if let Some(cause) = failed.cause() {
        error.set_cause(py, Some(raised(py, cause)?));
    }
    Ok(error)
}

fn raised(py: Python<'_>, cause: &Cause) -> PyResult<PyErr> {
    if let Some(error) = cause.downcast_ref::<PyErr>() {
        return Ok(error.clone_ref(py));
    }
    match cause.downcast_ref::<Error>() {
        Some(failed) => exception(py, failed),
        None => Ok(PyRuntimeError::new_err(cause.to_string())),
    }
}

pub fn refuse(refusal: Refusal, subject: Subject<'_>) -> PyErr {
    of(Error::about(refusal, subject))
}

pub fn raise(code: Code, message: impl Into<String>) -> PyErr {
    of(Error::new(code, message))
}

/// A `TypeError`, as Python raises for an argument of a wrong type, but with a code.
pub fn wrong_type(message: impl Into<String>) -> PyErr {
    let error = PyTypeError::new_err(message.into());
    Python::attach(|py| {
        let coded = error.value(py).setattr("code", Code::RequestInvalid.as_str());
        coded.err().unwrap_or(error)
    })
}

/// The code of a leafid error; `None` for any other exception.
pub fn code_of(error: &Bound<'_, PyBaseException>) -> Option<Code> {
    let base = module(error.py()).and_then(|errors| errors.getattr("LeafidError")).ok()?;
    let code = error.getattr("code").and_then(|code| code.extract::<String>());
    error.is_instance(&base).ok().filter(|is_ours| *is_ours)?;
    Code::parse(&code.ok()?)
}

/// The module `leafid.errors`.
fn module<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyModule>> {
    static ERRORS: OnceLock<Py<PyModule>> = OnceLock::new();
    let module = outside::once(&ERRORS, || py.import("leafid.errors").map(Bound::unbind))?;
    Ok(module.bind(py))
}

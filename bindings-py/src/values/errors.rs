//! Exceptions: one class per code, all under `leafid.LeafidError`.

use leafid_core::{Code, Refusal};
use leafid_wire::Subject;
use pyo3::exceptions::{PyBaseException, PyOSError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyType};

use crate::client::{Cause, Failed};

/// The exception, with the failure's cause as its `__cause__`.
impl From<Failed> for PyErr {
    fn from(failed: Failed) -> PyErr {
        Python::attach(|py| exception(py, &failed).unwrap_or_else(|broken| broken))
    }
}

/// Creates the exception without running Python code: below this frame, a daemon thread could lose the
/// interpreter lock there, and taking it back while the interpreter ends aborts the process.
fn exception(py: Python<'_>, failed: &Failed) -> PyResult<PyErr> {
    let class: Bound<'_, PyType> = module(py)?.getattr(class_name(failed.code))?.cast_into()?;
    let error = class.call_method1("__new__", (&class, &failed.message))?;
    let base = match class.is_subclass_of::<PyOSError>()? {
        true => py.get_type::<PyOSError>(),
        false => py.get_type::<PyBaseException>(),
    };
    base.call_method1("__init__", (&error, &failed.message))?;
    error.setattr("until_ms", failed.until_ms)?;
    error.setattr("retry_after", failed.retry_after_ms.map(|ms| f64::from(ms) / 1_000.0))?;
    let error = PyErr::from_value(error);
    if let Some(cause) = &failed.cause {
        error.set_cause(py, Some(raised(py, cause)?));
    }
    Ok(error)
}

fn raised(py: Python<'_>, cause: &Cause) -> PyResult<PyErr> {
    if let Some(error) = cause.downcast_ref::<PyErr>() {
        return Ok(error.clone_ref(py));
    }
    match cause.downcast_ref::<Failed>() {
        Some(failed) => exception(py, failed),
        None => Ok(PyRuntimeError::new_err(cause.to_string())),
    }
}

pub fn refuse(refusal: Refusal, subject: Subject<'_>) -> PyErr {
    Failed::about(refusal, subject).into()
}

pub fn raise(code: Code, message: impl Into<String>) -> PyErr {
    Failed::new(code, message).into()
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

/// The name of a code's exception class.
pub fn class_name(code: Code) -> String {
    format!("{code:?}Error")
}

/// The module `leafid.errors`.
fn module<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyModule>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS.get_or_try_init(py, || py.import("leafid.errors").map(Bound::unbind))?;
    Ok(module.bind(py))
}

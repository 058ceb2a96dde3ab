//! The table of codes, as data.

use leafid_core::Code;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::errors;

/// Every code, in the order of the table.
#[pyfunction]
pub fn codes() -> Vec<&'static str> {
    Code::ALL.iter().map(|code| code.as_str()).collect()
}

/// The code of an HTTP answer that came without one.
#[pyfunction]
pub fn code_from_http(status: u16) -> &'static str {
    leafid_bindings::codes::from_http(status)
}

/// A refusal in words, about a `tag` or a `namespace` of this name; of any other kind, `name` are
/// the words for it.
#[pyfunction]
#[pyo3(signature = (code, kind, name, most = None, wait_ms = None))]
pub fn sentence(
    code: &str,
    kind: &str,
    name: &str,
    most: Option<u64>,
    wait_ms: Option<u64>,
) -> String {
    leafid_bindings::codes::sentence(code, kind, name, most, wait_ms)
}

/// What the table says about a code: `http`, `permanent`, `stops`, `advice`, and the name of its
/// exception class.
#[pyfunction]
pub fn code<'py>(py: Python<'py>, code: &str) -> PyResult<Bound<'py, PyDict>> {
    let known = Code::parse(code)
        .ok_or_else(|| PyValueError::new_err(format!("there is no code `{code}`")))?;
    let row = PyDict::new(py);
    row.set_item("http", known.http_status())?;
    row.set_item("permanent", known.is_permanent())?;
    row.set_item("stops", known.stops())?;
    row.set_item("advice", known.advice())?;
    row.set_item("class", errors::class_name(known))?;
    Ok(row)
}

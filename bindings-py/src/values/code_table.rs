//! The table of error codes, as data.

use leafid_bindings::{Answer, codes as table};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::{dict, errors};

/// Every code, in the order of the table.
#[pyfunction]
pub fn codes() -> Vec<&'static str> {
    table::names().collect()
}

/// The code for an HTTP status that came without a code.
#[pyfunction]
pub fn code_from_http(status: u16) -> &'static str {
    table::from_http(status)
}

/// The message of a refusal about the `tag` or `namespace` of this name; for any other kind, `name`
/// is the whole phrase.
#[pyfunction]
#[pyo3(signature = (code, kind, name, most = None, wait_ms = None))]
pub fn sentence(
    code: &str,
    kind: &str,
    name: &str,
    most: Option<u64>,
    wait_ms: Option<u64>,
) -> String {
    table::sentence(code, kind, name, most, wait_ms)
}

/// The table's entry for a code: `http`, `permanent`, `stops`, `advice`, and the name of its
/// exception class.
#[pyfunction]
pub fn code<'py>(py: Python<'py>, code: &str) -> PyResult<Bound<'py, PyDict>> {
    let facts = table::facts(code)
        .ok_or_else(|| PyValueError::new_err(format!("there is no code `{code}`")))?;
    let row = dict::written(py, |to| facts.put(to))?;
    row.set_item("http", leafid_wire::http_status(facts.0))?;
    row.set_item("class", errors::class_name(facts.0))?;
    Ok(row)
}

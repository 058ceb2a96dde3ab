//! The table of codes, as data.

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

/// The code of an HTTP answer that came without one.
#[pyfunction]
pub fn code_from_http(status: u16) -> &'static str {
    table::from_http(status)
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
    table::sentence(code, kind, name, most, wait_ms)
}

/// What the table says about a code: `http`, `permanent`, `stops`, `advice`, and the name of its
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

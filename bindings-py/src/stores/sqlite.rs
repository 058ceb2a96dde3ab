//! `sqlite:PATH`: a store in Python, on the server's tables (`leafid._sqlite`). What it cannot have
//! in Python is here: the texts, and what a fork left behind.

use leafid_sql::{SQLITE, SQLITE_APPLICATION, SQLITE_VERSION};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::host::fork;

/// The store in a file.
///
/// # Errors
/// As `SqliteStore`.
pub fn open(py: Python<'_>, path: &str, create: bool) -> PyResult<Py<PyAny>> {
    let class = py.import("leafid._sqlite")?.getattr("SqliteStore")?;
    let how = PyDict::new(py);
    how.set_item("create", create)?;
    Ok(class.call((path,), Some(&how))?.unbind())
}

/// Whose a file is, of which version its tables are, and the texts by their names.
#[pyfunction]
pub fn sqlite_texts(py: Python<'_>) -> PyResult<(i64, i64, Bound<'_, PyDict>)> {
    let texts = PyDict::new(py);
    for (name, text) in SQLITE {
        texts.set_item(name, text)?;
    }
    Ok((SQLITE_APPLICATION, SQLITE_VERSION, texts))
}

/// Which process this is: another number in a forked child than in any process that it comes from.
#[pyfunction]
pub fn process(_py: Python<'_>) -> u64 {
    fork::current().number()
}

/// Keeps an object for ever: a connection that a parent opened is not a child's to close.
#[pyfunction]
pub fn abandon(object: Py<PyAny>) {
    std::mem::forget(object);
}

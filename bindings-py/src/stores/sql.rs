//! Stores in Python, on the server's tables (`leafid._sql`): a file, or a database. What they cannot
//! have in Python is here: the texts, and what a fork left behind.

use leafid_core::Range;
use leafid_turn::sql::VERSION;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::host::fork;
use crate::values::outside;

/// What their URLs begin with.
const SCHEMES: [&str; 5] = ["sqlite", "postgres", "postgresql", "mysql", "mariadb"];

/// Whether a URL names such a store.
pub fn is_ours(url: &str) -> bool {
    // SQLAlchemy's: `postgresql+psycopg://…`.
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    SCHEMES.contains(&scheme.split('+').next().unwrap_or(""))
}

/// The store that a URL names; `workers` are for a namespace `default` that is made with it, of which
/// nothing is said.
pub fn open(
    py: Python<'_>,
    url: &str,
    create: bool,
    workers: Option<Range>,
) -> PyResult<Py<PyAny>> {
    let open = outside::of_module(py, "leafid._sql", "open_store")?;
    let workers = workers.map(|workers| (workers.start, workers.end));
    Ok(outside::call(&open, (url, create, workers), None)?.unbind())
}

/// The version of the tables, and a dialect's texts by their names.
#[pyfunction]
pub fn sql_texts<'py>(py: Python<'py>, dialect: &str) -> PyResult<(i64, Bound<'py, PyDict>)> {
    let all = super::turn::texts(dialect)?;
    let texts = PyDict::new(py);
    for (name, text) in all.all {
        texts.set_item(name, text)?;
    }
    Ok((VERSION, texts))
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

//! Stores in Python, on the server's tables (`leafid._sql`): a file, or a database. What they cannot
//! have in Python is here: the texts, and what a fork left behind.

use leafid_core::registry::Namespace;
use leafid_core::{Layout, Name, Range};
use leafid_turn::sql::VERSION;
use leafid_wire::{FieldWriter, Fields, Subject};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::host::fork;
use crate::client::stores::shown_name;
use crate::values::{LayoutArg, Seconds, dict, errors, outside, whole_ms, worker_range};

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

/// What is said of a namespace, as the fields of a request; with a `name` it is refused if no new one can
/// be so.
#[pyfunction]
#[pyo3(signature = (name, layout = None, workers = None, max_window = None))]
pub fn namespace_fields<'py>(
    py: Python<'py>,
    name: Option<&str>,
    layout: Option<LayoutArg>,
    workers: Option<&Bound<'_, PyAny>>,
    max_window: Option<Seconds>,
) -> PyResult<Bound<'py, PyDict>> {
    let layout = layout.map(|layout| layout.0);
    // The turn refuses an empty one, in every language with the same sentence.
    let workers = workers.map(|workers| worker_range(workers, true)).transpose()?;
    let max_window_ms = max_window.map(|length| whole_ms("max_window", length)).transpose()?;
    if let Some(name) = name {
        let create = || Namespace::create(layout.unwrap_or(Layout::LEAF), workers, max_window_ms);
        Name::namespace(name)
            .and_then(|_| create())
            .map_err(|refusal| errors::refuse(refusal, Subject::Namespace(&shown_name(name))))?;
    }
    dict::written(py, |to| {
        layout.inspect(|layout| to.nested("layout", |to| layout.put(to)));
        workers.inspect(|workers| to.nested("workers", |to| workers.put(to)));
        max_window_ms.inspect(|ms| to.number("max_window_ms", (*ms).into()));
    })
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

//! Native helpers of the stores over SQL (`leafid._sql`), a file or a database with the server's
//! tables: the texts, the kinds of databases' errors, and the handling of forks.

use std::path::PathBuf;

use leafid::host::fork;
use leafid::stores::shown_name;
use leafid_core::registry::Namespace;
use leafid_core::{Code, Layout, Name, Range};
use leafid_state::places;
use leafid_turn::sql::errors::{Kind, kind_of_mysql, kind_of_postgres};
use leafid_turn::sql::{LEAF, MYSQL, POSTGRES, SQLITE, VERSION};
use leafid_wire::{FieldWriter, Fields, Subject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::turn::failed;
use crate::values::{LayoutArg, Seconds, dict, errors, outside, whole_ms, worker_range};

/// The schemes of their URLs.
const SCHEMES: [&str; 5] = ["sqlite", "postgres", "postgresql", "mysql", "mariadb"];

/// Whether a URL names a store over SQL.
pub fn is_ours(url: &str) -> bool {
    // SQLAlchemy's schemes have a driver: `postgresql+psycopg://…`.
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    SCHEMES.contains(&scheme.split('+').next().unwrap_or(""))
}

/// Opens the store that a URL names; `workers` is the range for a `default` namespace that is created
/// with the store and has no options of its own.
pub fn open<'py>(
    py: Python<'py>,
    url: &str,
    create: bool,
    workers: Option<Range>,
) -> PyResult<Bound<'py, PyAny>> {
    let open = outside::of_module(py, "leafid._sql", "open_store")?;
    let workers = workers.map(|workers| (workers.start, workers.end));
    outside::call(&open, (url, create, workers), None)
}

/// The version of the tables, and the texts of `sqlite`, `postgres`, `mysql` or `leaf` by their names, each
/// with the names of its parameters in the order of their values.
#[pyfunction]
pub fn sql_texts<'py>(py: Python<'py>, dialect: &str) -> PyResult<(i64, Bound<'py, PyDict>)> {
    let all = match dialect {
        "sqlite" => SQLITE,
        "postgres" => POSTGRES,
        "mysql" => MYSQL,
        "leaf" => LEAF,
        _ => return Err(errors::raise(Code::Internal, format!("no dialect `{dialect}`"))),
    };
    let texts = PyDict::new(py);
    for (name, text) in all.all {
        texts.set_item(name, (text.sql, PyTuple::new(py, text.names)?))?;
    }
    Ok((VERSION, texts))
}

/// The kind of PostgreSQL's error with this SQLSTATE; None for a plain refusal.
#[pyfunction]
pub fn postgres_kind(state: &str) -> Option<&'static str> {
    kind_of_postgres(state).map(Kind::word)
}

/// The kind of MySQL's or MariaDB's error with this number; None for a plain refusal or a driver's own.
#[pyfunction]
pub fn mysql_kind(number: i64) -> Option<&'static str> {
    kind_of_mysql(number.try_into().ok()?).map(Kind::word)
}

/// A namespace's options as the fields of a request; with a `name`, raises if they are not valid for a
/// new one.
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

/// Refuses a file that must not be opened as a store. Gives why it has none, such as `does not exist`; None for one
/// that may be opened.
#[pyfunction]
pub fn absence(path: PathBuf) -> PyResult<Option<&'static str>> {
    places::check(&path).map_err(|problem| errors::of(failed(problem)))
}

/// The number of this process: in a forked child it differs from that of every ancestor.
#[pyfunction]
pub fn process(_py: Python<'_>) -> u64 {
    fork::current().number
}

/// Leaks an object on purpose: a child must not close a connection that its parent opened.
#[pyfunction]
pub fn abandon(object: Py<PyAny>) {
    std::mem::forget(object);
}

//! What `leafid._log` reads.

use pyo3::prelude::*;

use crate::client::log;

/// Waits for the next event: whether it is a warning, and what happened. `None` ends the log.
#[pyfunction]
pub fn next_event(py: Python<'_>) -> Option<(bool, String)> {
    py.detach(log::next)
}

/// Nobody reads any more.
#[pyfunction]
pub fn log_ended(_py: Python<'_>) {
    log::ended();
}

/// Whether nobody reads yet, and the caller is to.
#[pyfunction]
pub fn begin_log(_py: Python<'_>) -> bool {
    log::begin()
}

//! The functions by which `leafid._log` reads the events of this process.

use pyo3::prelude::*;

use crate::client::log;

/// Waits for the next event: whether it is a warning, and its message. `None` ends the log.
#[pyfunction]
pub fn next_event(py: Python<'_>) -> Option<(bool, String)> {
    py.detach(log::next)
}

/// Reports that the log's reader has ended.
#[pyfunction]
pub fn log_ended(_py: Python<'_>) {
    log::ended();
}

/// Makes the caller the log's reader; false if there is one already.
#[pyfunction]
pub fn begin_log(_py: Python<'_>) -> bool {
    log::begin()
}

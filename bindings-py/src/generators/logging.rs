//! The functions by which `leafid._log` reads the events of this process.

use pyo3::prelude::*;

use crate::client::log;
use crate::values::outside;

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

/// Starts the thread that writes the log, in a process that has imported `logging`.
pub fn start_log() {
    Python::attach(|py| {
        let modules = py.import("sys").and_then(|sys| sys.getattr("modules"));
        if modules.and_then(|modules| modules.contains("logging")).unwrap_or(false) {
            // A failing log must not keep callers from their IDs.
            let start = outside::of_module(py, "leafid._log", "start");
            let _ = start.and_then(|start| outside::call(&start, (), None));
        }
    });
}

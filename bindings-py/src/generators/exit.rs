//! The end of the interpreter.

use pyo3::prelude::*;

use crate::client::driver;

/// Closes every open generator, and waits a second for what they have to send: run by `atexit`.
#[pyfunction]
pub fn close_all(py: Python<'_>) {
    let live = driver::retire_all();
    py.detach(|| driver::wait_for_all(&live));
}

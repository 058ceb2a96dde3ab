//! The end of the interpreter, and of what it holds.

use pyo3::prelude::*;

use crate::client::{driver, log};

/// Closes every open generator, waits a second for what they have to send, and for their callers to
/// be told: run by `atexit`.
#[pyfunction]
pub fn close_all(py: Python<'_>) {
    let live = driver::retire_all();
    log::close();
    py.detach(|| {
        driver::wait_for_all(&live, |driven| driven.is_over());
        driver::wait_for_callers(&live);
        log::wait_until_unread();
    });
}

/// Gives back what every generator of this process holds, and waits a second until it is sent. Each
/// goes on with its next ID, which waits for a new range. For a worker that ends without the end of
/// its interpreter, and before an image of the process is stored.
#[pyfunction]
pub fn release_all(py: Python<'_>) {
    let live = driver::give_all_back();
    py.detach(|| driver::wait_for_all(&live, |driven| driven.has_given_back()));
}

/// Calls `forget` on every generator of this process: for an image of it that was copied and resumed.
#[pyfunction]
pub fn forget_all(_py: Python<'_>) {
    driver::forget_all();
}

//! Closes, releases or forgets all generators of this process, such as when the interpreter ends.

use leafid::driver::{self, LAST_CALLERS, LAST_RELEASES};
use leafid::log;
use pyo3::prelude::*;

/// Closes every open generator, waits up to a second for the last releases, and until every waiting
/// caller has its error. Run by `atexit`.
#[pyfunction]
pub fn close_all(py: Python<'_>) {
    let live = driver::retire_all();
    py.detach(|| {
        driver::wait(LAST_RELEASES, || live.iter().all(|holding| holding.is_over()));
        // Not before the drivers have said their last.
        log::close();
        driver::wait(LAST_CALLERS, || !live.iter().any(|holding| holding.has_callers()));
        driver::wait(LAST_RELEASES, || !log::is_read());
    });
}

/// Gives back the ranges of every generator of this process, and waits up to a second until that is
/// sent. Each goes on: its next ID waits for a new range. For a worker process that ends without its
/// interpreter's exit handlers, and before an image of the process is stored.
#[pyfunction]
pub fn release_all(py: Python<'_>) {
    let live = driver::give_all_back();
    let is_sent = || live.iter().all(|holding| holding.has_given_back());
    py.detach(|| driver::wait(LAST_RELEASES, is_sent));
}

/// Calls `forget` on every generator of this process: for a memory image that was copied and resumed.
#[pyfunction]
pub fn forget_all(_py: Python<'_>) {
    driver::forget_all();
}

//! The verbs for event loops: `await ids.anext()` and its like.
//!
//! While an ID is at hand, `anext` returns it as a coroutine that is complete at once ([`ready`]): no thread,
//! no task switch, no Python code. Every other call is a coroutine of `leafid._aio`, which tries, and waits in
//! the way of the running loop, with a [`Waiter`] and a [`LoopBell`].

mod ready;
mod waiter;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::client::driver::Call;
use crate::generators::awaiting::waiter::Waiter;
use crate::generators::generator::PyGenerator;
use crate::generators::verb::Verb;
use crate::values::outside;

/// A coroutine that carries out the verb, and waits up to `timeout` seconds.
#[inline]
pub fn awaitable<'py>(
    owner: &Bound<'py, PyGenerator>,
    verb: Verb,
    timeout: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, ids) = (owner.py(), owner.get());
    if verb == Verb::Next
        && !ids.is_queued()
        && let Some(id) = ids.at_hand()
    {
        return ready::ready(py, id, ids.generator.last_holding().generation);
    }
    waiting(owner, verb, timeout)
}

#[cold]
fn waiting<'py>(
    owner: &Bound<'py, PyGenerator>,
    verb: Verb,
    timeout: f64,
) -> PyResult<Bound<'py, PyAny>> {
    static WAIT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = owner.py();
    let wait = WAIT
        .get_or_try_init(py, || outside::of_module(py, "leafid._aio", "wait").map(Bound::unbind))?;
    let waiter = Waiter { owner: owner.clone().unbind(), verb, call: Call::new(timeout) };
    let coroutine = outside::call(wait.bind(py), (waiter,), None)?;
    // For Python's warning about a coroutine that was never awaited.
    coroutine.setattr("__qualname__", verb.awaited())?;
    Ok(coroutine)
}

//! The verbs for event loops: `await ids.anext()` and its like.
//!
//! An awaitable ([`object`]) draws when it is awaited. While IDs are at hand that is all: no thread,
//! no task switch, no Python code. Where it has to wait, `leafid._aio` does so, by means of a
//! [`Waiter`] and a [`LoopBell`], as the loop that runs wants it.

mod face;
mod object;
mod waiter;

pub use face::{Face, HasGenerator};
pub use object::awaitable;
pub use waiter::{LoopBell, Waiter};

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// One ID.
    Next,
    /// So many.
    Take(u64),
    /// A buffer's worth.
    Fill(u64),
    /// So many at hand.
    Ready(u64),
    /// What is in hand, back.
    Release,
    /// The end.
    Close,
    /// The generator, without a wait.
    Itself,
}

impl Verb {
    /// What to call instead where an event loop must not stand still.
    pub fn instead(self) -> String {
        let (now, right) = match self {
            Verb::Take(n) => (format!("take({n})"), format!("await ids.atake({n})")),
            Verb::Fill(n) => ("fill".to_owned(), format!("await ids.aready({n})` before `fill")),
            Verb::Ready(n) => (format!("ready({n})"), format!("await ids.aready({n})")),
            _ => ("next()".to_owned(), "await ids.anext()".to_owned()),
        };
        format!(
            "and `{now}` would stop the event loop of this thread until there is: use `{right}`"
        )
    }
}

/// Whether an event loop runs in this thread. A module that was never imported has none.
///
/// # Errors
/// If the interpreter is broken.
pub fn is_in_loop(py: Python<'_>) -> PyResult<bool> {
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    // Of a module that another thread imports just now, the function may be missing.
    if let Some(asyncio) = modules.get_item("asyncio")?
        && let Ok(running) = asyncio.getattr("_get_running_loop")
        && !running.call0()?.is_none()
    {
        return Ok(true);
    }
    match modules.get_item("trio")?.map(|trio| trio.getattr("lowlevel")) {
        Some(Ok(lowlevel)) => lowlevel.call_method0("in_trio_run")?.is_truthy(),
        _ => Ok(false),
    }
}

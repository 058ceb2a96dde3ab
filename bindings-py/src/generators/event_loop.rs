//! Detects a running event loop, in which nothing may block.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::outside;

/// Whether an event loop runs in this thread. A loop library that was never imported runs none.
pub fn is_in_loop(py: Python<'_>) -> PyResult<bool> {
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    // While another thread imports the module, the function may be missing.
    if let Some(asyncio) = modules.get_item("asyncio")?
        && let Ok(running) = asyncio.getattr("_get_running_loop")
        && !outside::call(&running, (), None)?.is_none()
    {
        return Ok(true);
    }
    match modules.get_item("trio")?.map(|trio| trio.getattr("lowlevel")) {
        Some(Ok(lowlevel)) => outside::call_method(&lowlevel, "in_trio_run", (), None)?.is_truthy(),
        _ => Ok(false),
    }
}

//! The thread that writes background events to the logger `leafid`.

use leafid::log;
use pyo3::prelude::*;

use crate::values::outside;

/// The levels of `logging`.
const INFO: u8 = 20;
const WARNING: u8 = 30;

/// Starts the thread, in a process that has imported `logging` and handles what `leafid` logs. A failing
/// log must not keep callers from their IDs.
pub fn start_log() {
    let _ = Python::attach(|py| {
        let modules = py.import("sys")?.getattr("modules")?;
        if !modules.contains("logging")? {
            return Ok(());
        }
        let logging = modules.get_item("logging")?;
        let logger = outside::call_method(&logging, "getLogger", ("leafid",), None)?;
        if outside::call_method(&logger, "hasHandlers", (), None)?.is_truthy()? {
            let logger = logger.unbind();
            log::read(move |events| outside::attached(|py| write(logger.bind(py), events)));
        }
        PyResult::Ok(())
    });
}

fn write(logger: &Bound<'_, PyAny>, events: &mut log::Events) {
    while let Some((is_warning, message)) = logger.py().detach(|| events.next()) {
        let level = if is_warning { WARNING } else { INFO };
        let _ = outside::call_method(logger, "log", (level, "%s", message), None);
    }
}

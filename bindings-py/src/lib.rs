//! The engine of leafid for Python.
//!
//! - [`client`] knows no Python: the driver that carries asks, the stores, the host's clocks;
//! - [`generators`] and [`stores`] are what users meet: `Segment`, `Snowflake`, `HttpStore`, …;
//! - [`values`] is how values cross: dicts, layouts, buffers, errors;
//! - [`registry`] and [`testing`] are the modules of those names.

mod client;
mod generators;
mod registry;
mod stores;
mod testing;
mod values;

/// What `leafid` in Python imports; its public face is the package around it. A free-threaded interpreter turns
/// its lock on for it: docs/PYTHON-INTERNALS.md names what relies on that.
#[pyo3::pymodule(gil_used = true)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::generators::{
        LoopBell, Segment, Snowflake, Waiter, begin_log, close_all, forget_all, log_ended,
        next_event, release_all,
    };
    #[pymodule_export]
    use crate::registry::{acquire, lease_segment, namespace_row, release, renew, tag_row};
    #[pymodule_export]
    use crate::stores::{
        Carrier, HttpStore, MemoryStore, PyStoreTime, Turn, abandon, drop_memory, namespace_fields,
        process, sql_texts,
    };
    #[pymodule_export]
    use crate::testing::{PyClock, TestGenerator};
    #[pymodule_export]
    use crate::values::{
        PyLayout, Scrambler, base32, base58, base62, code, code_from_http, codes, decimal, decode,
        parse_base32, parse_base58, parse_base62, parse_decimal, sentence,
    };

    /// The cases of what a store must do, as JSON.
    #[pymodule_export]
    const CONFORM_CASES: &str = leafid_bindings::CONFORM_CASES;
    /// Says whose an SQLite file is.
    #[pymodule_export]
    const SQLITE_APPLICATION: i64 = leafid_turn::sql::SQLITE_APPLICATION;

    /// Refuses what would share generators and exception classes between interpreters, and close
    /// them all at the end of one. From 3.12 on the interpreter refuses it by itself.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[expect(unsafe_code, reason = "PyO3 has no face for the id of an interpreter")]
        // SAFETY: the interpreter lock is held, so there is a current interpreter.
        let id =
            unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
        if id != 0 {
            let message = "module leafid._native does not support loading in subinterpreters";
            return Err(pyo3::exceptions::PyImportError::new_err(message));
        }
        crate::generators::install_quick::<Segment>(module.py())?;
        crate::generators::install_quick::<Snowflake>(module.py())
    }

    /// The version of this engine.
    #[pyfunction]
    fn engine_version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

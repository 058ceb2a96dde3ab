//! leafid's native engine for Python.
//!
//! The driver that carries asks, the stores and the host's clocks are the crate `leafid`'s. Here are:
//!
//! - [`generators`] and [`stores`], the classes of the API: `Segment`, `Snowflake`, `HttpStore`, …;
//! - [`values`], the conversion of values: dicts, layouts, buffers, errors;
//! - [`registry`] and [`testing`], the modules of those names.

mod generators;
mod registry;
mod stores;
mod testing;
mod values;

/// The private module that the package `leafid` imports. Nothing of it relies on the interpreter's lock.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    use crate::generators::{Segment, Snowflake, add_base32, add_class, start_log};

    #[pymodule_export]
    use crate::generators::{close_all, forget_all, release_all};
    #[pymodule_export]
    use crate::registry::{acquire, lease_segment, namespace_row, release, renew, tag_row};
    #[pymodule_export]
    use crate::stores::{
        HttpStore, MemoryStore, PyStoreTime, abandon, absence, decide, journal_folder, mysql_kind,
        namespace_fields, note, postgres_kind, process, set_test, sql_texts,
    };
    #[pymodule_export]
    use crate::testing::{PyClock, conform};
    #[pymodule_export]
    use crate::values::{
        PyLayout, Scrambler, base32, base58, base62, decimal, decode, parse_base32, parse_base58,
        parse_base62, parse_decimal,
    };

    /// The `application_id` that marks an SQLite file as ours.
    #[pymodule_export]
    const SQLITE_APPLICATION: i64 = leafid_turn::sql::SQLITE_APPLICATION;

    /// Refuses subinterpreters: they would share generators and exception classes, and the end of one
    /// would close all generators. From 3.12 on the interpreter refuses them by itself.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[expect(unsafe_code, reason = "PyO3 has no face for the id of an interpreter")]
        // SAFETY: this thread is attached, so there is a current interpreter.
        let id =
            unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
        if id != 0 {
            let message = "module leafid._native does not support loading in subinterpreters";
            return Err(pyo3::exceptions::PyImportError::new_err(message));
        }
        crate::stores::note_folder();
        leafid::log::on_want(start_log);
        add_base32(module)?;
        add_class::<Segment, false>(module)?;
        add_class::<Snowflake, true>(module)?;
        // The stub would have to list all names a second time.
        module.delattr("__all__")
    }

    /// The version of this engine.
    #[pyfunction]
    fn engine_version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

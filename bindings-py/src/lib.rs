//! The engine of leafid for Python.

/// What `leafid` in Python imports; its public face is the package around it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    /// The version of this engine.
    #[pyfunction]
    fn engine_version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

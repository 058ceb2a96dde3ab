//! The floor of Python's figures: a native method that does nothing, made and built as the engine is.
//! `cargo xtask bench --only python` builds it; no package has it.

/// An empty native module.
#[pyo3::pymodule]
mod leafid_floor {
    use pyo3::prelude::*;

    /// Returns an int, and does nothing.
    #[pyclass(frozen)]
    struct Floor;

    #[pymethods]
    impl Floor {
        #[new]
        fn new() -> Floor {
            Floor
        }

        /// An int that the interpreter has to make, as an ID is one.
        fn next(&self) -> u64 {
            1 << 40
        }
    }
}

//! The floor of every figure: what one call into this module costs at least.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

static COUNT: AtomicU64 = AtomicU64::new(1 << 62);

/// One atomic add, returned as an `int`: no native method that gives fresh numbers is faster.
#[pyclass(frozen, module = "leafid._native")]
pub struct Floor;

#[pymethods]
impl Floor {
    #[new]
    fn new() -> Floor {
        Floor
    }

    fn next(&self) -> u64 {
        COUNT.fetch_add(1, Ordering::Relaxed)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> u64 {
        COUNT.fetch_add(1, Ordering::Relaxed)
    }
}

//! Tells the code whether the interpreter has its lock, `Py_GIL_DISABLED`, and refuses what is not CPython.

use pyo3_build_config::{PythonImplementation, get, use_pyo3_cfgs};

fn main() {
    use_pyo3_cfgs();
    if get().implementation() != PythonImplementation::CPython {
        println!(
            "cargo::error=leafid runs on CPython alone, 3.11 or later: use that, not PyPy or GraalPy"
        );
    }
}

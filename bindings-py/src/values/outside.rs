//! Calls into Python code that are safe while the interpreter ends.
//!
//! Before 3.14, CPython ends a daemon thread by `pthread_exit` when it wants the interpreter lock back
//! after the main thread has begun to end the interpreter. Unwinding through a native frame then aborts
//! the process. So the thread parks for ever instead, as from 3.14 on. PyO3 does that where a thread
//! returns from `detach`, this module where the lock was lost in Python code below one of our frames.

#![expect(unsafe_code, reason = "PyO3's own calls cannot be unwound")]

use std::hint::black_box;
use std::mem;
use std::ptr;
use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::ffi::{self, PyObject, PySendResult};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{BoundObject, IntoPyObject};

type Call =
    unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;
type Send =
    unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut *mut PyObject) -> PySendResult;

/// Parks for ever the thread that unwinds past this.
struct Stays;

impl Drop for Stays {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

fn staying<T>(act: impl FnOnce() -> T) -> T {
    let stays = Stays;
    let result = act();
    mem::forget(stays);
    result
}

/// Acts attached to the interpreter, in a thread that Python did not make. Once the interpreter has ended
/// there is nothing to return to.
pub fn attached<T>(act: impl FnOnce(Python<'_>) -> T) -> T {
    Python::try_attach(act).unwrap_or_else(|| {
        drop(Stays);
        unreachable!("it parks")
    })
}

/// Calls an object; `named` holds the keyword arguments.
pub fn call<'py>(
    callable: &Bound<'py, PyAny>,
    args: impl IntoPyObject<'py, Target = PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = callable.py();
    let args = args.into_pyobject(py).map_err(Into::into)?;
    let args = args.into_bound();
    let named = named.map_or(ptr::null_mut(), |named| named.as_ptr());
    let calls: unsafe extern "C" fn(_, _, _) -> _ = ffi::PyObject_Call;
    // SAFETY: attached to the interpreter, and references to a tuple, and a dict or nothing; the two types
    // of the function differ only in whether it may unwind. `black_box` hides the function from the
    // compiler, which trusts PyO3's declaration that this one never unwinds.
    unsafe {
        let calls = black_box(mem::transmute::<unsafe extern "C" fn(_, _, _) -> _, Call>(calls));
        let gave = staying(|| calls(callable.as_ptr(), args.as_ptr(), named));
        Bound::from_owned_ptr_or_err(py, gave)
    }
}

/// Calls a method.
pub fn call_method<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    args: impl IntoPyObject<'py, Target = PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    call(&object.getattr(name)?, args, named)
}

/// Gets a name from one of our modules, importing it where needed.
pub fn of_module<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let import = py.import("builtins")?.getattr("__import__")?;
    // With a name, `__import__` returns the module and not the package.
    call(&import, (module, py.None(), py.None(), (name,)), None)?.getattr(name)
}

/// Gets what is made once, by calls of Python. It is made before the cell is locked: a forked child would wait for ever for
/// the thread of its parent that makes it, as it does with a `PyOnceLock`.
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
    match cell.get() {
        Some(made) => Ok(made),
        None => make().map(|made| cell.get_or_init(|| made)),
    }
}

/// Gets an attribute, which may be a property.
pub fn attribute<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    call(&object.py().import("builtins")?.getattr("getattr")?, (object, name), None)
}

/// Issues a `RuntimeWarning` for the calling line of Python.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let warn = py.import("_warnings")?.getattr("warn")?;
    call(&warn, (message, py.get_type::<PyRuntimeWarning>(), 1), None).map(drop)
}

/// Resumes a coroutine.
///
/// # Safety
/// As of `PyIter_Send`.
pub unsafe fn send(
    coroutine: *mut PyObject,
    value: *mut PyObject,
    result: *mut *mut PyObject,
) -> PySendResult {
    let sends: unsafe extern "C" fn(_, _, _) -> _ = ffi::PyIter_Send;
    // SAFETY: as the caller's, and as in `call`.
    unsafe {
        let sends = black_box(mem::transmute::<unsafe extern "C" fn(_, _, _) -> _, Send>(sends));
        staying(|| sends(coroutine, value, result))
    }
}

//! Calls of Python code, in which a thread may find the interpreter at its end.
//!
//! Before 3.14, CPython ends a daemon thread by `pthread_exit` where it wants the interpreter lock back and
//! the main thread has begun to end the interpreter. Unwound through a native frame, that aborts the
//! process. So the thread stays where it is, as it does from 3.14 on; PyO3 sees to it where a thread
//! comes back from `detach`, and this where the lock was lost in Python code below one of our frames.

#![expect(unsafe_code, reason = "PyO3's own calls cannot be unwound")]

use std::hint::black_box;
use std::mem;
use std::ptr;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::ffi::{self, PyObject, PySendResult};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{BoundObject, IntoPyObject};

type Call =
    unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;
type Send =
    unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut *mut PyObject) -> PySendResult;

/// Keeps the thread that unwinds it.
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

/// What a call gives; `named` are its arguments by name.
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
    // SAFETY: with the interpreter lock, and references to a tuple, and a dict or nothing; the two types
    // of the function differ in whether it may be unwound. The compiler must not see which one it is:
    // it believes PyO3 that this one never is.
    unsafe {
        let calls = black_box(mem::transmute::<unsafe extern "C" fn(_, _, _) -> _, Call>(calls));
        let gave = staying(|| calls(callable.as_ptr(), args.as_ptr(), named));
        Bound::from_owned_ptr_or_err(py, gave)
    }
}

/// What a method gives.
pub fn call_method<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    args: impl IntoPyObject<'py, Target = PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    call(&object.getattr(name)?, args, named)
}

/// Something of a module of ours, which may be imported only now.
pub fn of_module<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let import = py.import("builtins")?.getattr("__import__")?;
    // With a name, so that it gives the module itself and not the package.
    call(&import, (module, py.None(), py.None(), (name,)), None)?.getattr(name)
}

/// An attribute, which may be a property.
pub fn attribute<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    call(&object.py().import("builtins")?.getattr("getattr")?, (object, name), None)
}

/// Issues a `RuntimeWarning` on the line of Python that called us.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let warn = py.import("_warnings")?.getattr("warn")?;
    call(&warn, (message, py.get_type::<PyRuntimeWarning>(), 1), None).map(drop)
}

/// Goes on with a coroutine.
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

//! An ID that is at hand, as `anext` returns it: it has a coroutine's methods, and is complete at its first
//! step.
//!
//! Its type uses the C interface: PyO3 has no `am_send`, and without that slot each value would have to
//! be raised in a `StopIteration`, which costs more than drawing an ID.

#![expect(unsafe_code, reason = "a Python type in the C interface's own words")]

use std::ffi::{CStr, c_void};
use std::ptr;

use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::ffi::{self, PyObject, PySendResult};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::client::host::fork::{self, Generation};
use crate::generators::raw;

/// The coroutine. Accessed only with the interpreter lock.
#[repr(C)]
struct Ready {
    base: PyObject,
    id: u64,
    /// The process that drew the ID: a forked child must not return it as well.
    drawn_in: Generation,
    /// Whether it was neither awaited nor closed.
    is_fresh: bool,
}

/// Makes a coroutine that returns this ID.
#[inline]
pub fn ready(py: Python<'_>, id: u64, drawn_in: Generation) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the object is new and zeroed, and its type's size is `Ready`'s; every field is written before
    // any other code sees it. None needs a drop.
    unsafe {
        let object = ffi::PyType_GenericAlloc(class(py)?.as_type_ptr(), 0);
        let made = Bound::from_owned_ptr_or_err(py, object)?;
        let object = object.cast::<Ready>();
        (&raw mut (*object).id).write(id);
        (&raw mut (*object).drawn_in).write(drawn_in);
        (&raw mut (*object).is_fresh).write(true);
        Ok(made)
    }
}

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS.get_or_try_init(py, || {
        let method = |name: &'static CStr, function, flags| ffi::PyMethodDef {
            ml_name: name.as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: function },
            ml_flags: flags,
            ml_doc: ptr::null(),
        };
        // The interpreter keeps pointers to the methods.
        let methods = Box::leak(Box::new([
            method(c"send", method_send, ffi::METH_O),
            method(c"throw", method_throw, ffi::METH_O),
            method(c"close", method_close, ffi::METH_NOARGS),
            ffi::PyMethodDef::zeroed(),
        ]));
        let slots: [(_, *mut c_void); 6] = [
            (ffi::Py_tp_dealloc, dealloc as *mut c_void),
            (ffi::Py_tp_iter, itself as *mut c_void),
            (ffi::Py_am_await, itself as *mut c_void),
            (ffi::Py_tp_iternext, next as *mut c_void),
            (ffi::Py_am_send, send as *mut c_void),
            (ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
        ];
        let name = c"leafid._native.Ready";
        let flags = ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION | ffi::Py_TPFLAGS_IMMUTABLETYPE;
        // SAFETY: the functions have their slots' types, and instances are of type `Ready`.
        unsafe { raw::new_type(py, name, size_of::<Ready>(), flags, &slots) }
    })?;
    Ok(made.bind(py))
}

unsafe extern "C" fn dealloc(slf: *mut PyObject) {
    // SAFETY: the last reference is gone, so nothing else accesses the object, which has none itself.
    unsafe {
        let class = ffi::Py_TYPE(slf);
        if (*slf.cast::<Ready>()).is_fresh {
            warn();
        }
        ffi::PyObject_Free(slf.cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// Warns about a call that was never awaited, as Python does for a coroutine.
#[cold]
fn warn() {
    let text = c"`anext()` was never awaited: its ID is lost";
    // SAFETY: called with the interpreter lock. An exception being raised is saved and restored; a
    // warning that is an error cannot be caught here, and is reported as unraisable.
    unsafe {
        let (mut kind, mut value, mut trace) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut trace);
        if ffi::PyErr_WarnEx(ffi::PyExc_RuntimeWarning, text.as_ptr(), 1) < 0 {
            ffi::PyErr_WriteUnraisable(ptr::null_mut());
        }
        ffi::PyErr_Restore(kind, value, trace);
    }
}

unsafe extern "C" fn itself(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: the caller has a reference, and gets another.
    unsafe { ffi::Py_NewRef(slf) }
}

/// Takes the ID out, and makes it an `int`; sets an exception and returns null if that was done before.
///
/// # Safety
/// With the interpreter lock, and a reference to the object.
unsafe fn taken(slf: *mut PyObject) -> *mut PyObject {
    let ready = slf.cast::<Ready>();
    // SAFETY: as this function's own.
    unsafe {
        if ptr::replace(&raw mut (*ready).is_fresh, false) && fork::is_current((*ready).drawn_in) {
            return raw::integer((*ready).id);
        }
        let text = "this call was awaited before, or its process has forked since: each await is a \
                    call of its own";
        Python::attach(|py| raw::raised(py, Err(PyRuntimeError::new_err(text))))
    }
}

unsafe extern "C" fn send(
    slf: *mut PyObject,
    _value: *mut PyObject,
    result: *mut *mut PyObject,
) -> PySendResult {
    // SAFETY: called with the interpreter lock, and a place for the result.
    unsafe {
        *result = taken(slf);
        if (*result).is_null() { PySendResult::PYGEN_ERROR } else { PySendResult::PYGEN_RETURN }
    }
}

unsafe extern "C" fn next(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: called with the interpreter lock; the ID is a new reference, or null.
    unsafe {
        let id = taken(slf);
        Python::attach(|py| match Bound::from_owned_ptr_or_opt(py, id) {
            Some(id) => raw::raised(py, Err(PyStopIteration::new_err((id.unbind(),)))),
            None => ptr::null_mut(),
        })
    }
}

unsafe extern "C" fn method_send(slf: *mut PyObject, _value: *mut PyObject) -> *mut PyObject {
    // SAFETY: called with the interpreter lock.
    unsafe { next(slf) }
}

unsafe extern "C" fn method_throw(slf: *mut PyObject, error: *mut PyObject) -> *mut PyObject {
    // SAFETY: called with the interpreter lock, and an exception or its class.
    Python::attach(|py| unsafe {
        (*slf.cast::<Ready>()).is_fresh = false;
        raw::raised(py, Err(PyErr::from_value(Bound::from_borrowed_ptr(py, error))))
    })
}

unsafe extern "C" fn method_close(slf: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: called with the interpreter lock.
    unsafe {
        (*slf.cast::<Ready>()).is_fresh = false;
        ffi::Py_NewRef(ffi::Py_None())
    }
}

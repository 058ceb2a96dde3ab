//! Python types made with the C interface, where PyO3 lacks a slot or is too slow.

#![expect(unsafe_code, reason = "PyO3 makes types of its own only")]

use std::ffi::{CStr, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyRange, PyType};

/// Creates a type that Python code cannot derive from. With a size of 0, instances are of their
/// base's.
///
/// # Safety
/// Each function is of its slot's type; a size is that of the instances, which begin with a `PyObject`.
pub unsafe fn new_type(
    py: Python<'_>,
    name: &'static CStr,
    size: usize,
    flags: c_ulong,
    slots: &[(c_int, *mut c_void)],
) -> PyResult<Py<PyType>> {
    let end = (0, ptr::null_mut());
    let slots = slots.iter().chain([&end]);
    let mut slots: Vec<_> =
        slots.map(|(slot, pfunc)| ffi::PyType_Slot { slot: *slot, pfunc: *pfunc }).collect();
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | flags) as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: as this function's own, and the list of slots ends with a zero.
    let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))? };
    Ok(class.cast_into::<PyType>()?.unbind())
}

/// Creates an `int`, or sets an exception and returns null.
///
/// CPython converts a C `long` faster than an unsigned number, and every ID fits into a `long` of
/// 64 bits.
///
/// # Safety
/// Attached to the interpreter.
#[inline]
pub unsafe fn integer(id: u64) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        match c_long::try_from(id) {
            Ok(id) => ffi::PyLong_FromLong(id),
            Err(_) => ffi::PyLong_FromUnsignedLongLong(id),
        }
    }
}

/// The value of a `float`; `None` for any other object.
///
/// # Safety
/// Attached to the interpreter, and with a reference to the object.
#[inline]
pub unsafe fn float(object: *mut PyObject) -> Option<f64> {
    // SAFETY: as this function's own.
    unsafe {
        let is_float = ffi::Py_TYPE(object) == &raw mut ffi::PyFloat_Type;
        is_float.then(|| ffi::PyFloat_AsDouble(object))
    }
}

/// The value of an `int`, if it fits; `None` for any other object.
///
/// # Safety
/// As [`float`].
#[inline]
pub unsafe fn long(object: *mut PyObject) -> Option<c_long> {
    // SAFETY: as this function's own.
    unsafe {
        let mut overflows = 0;
        let is_int = ffi::Py_TYPE(object) == &raw mut ffi::PyLong_Type;
        let value = is_int.then(|| ffi::PyLong_AsLongAndOverflow(object, &raw mut overflows));
        value.filter(|_| overflows == 0)
    }
}

/// A list of one object, whose reference it takes; null for null.
///
/// # Safety
/// As [`float`].
pub unsafe fn list_of(object: *mut PyObject) -> *mut PyObject {
    if object.is_null() {
        return object;
    }
    // SAFETY: as this function's own; a new list has one place, which is free.
    unsafe {
        let list = ffi::PyList_New(1);
        if list.is_null() {
            ffi::Py_DecRef(object);
        } else {
            ffi::PyList_SetItem(list, 0, object);
        }
        list
    }
}

/// The result of a function of the C interface: a new reference, or null with the exception set.
pub fn raised(py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) -> *mut PyObject {
    match outcome {
        Ok(value) => value.into_ptr(),
        Err(error) => {
            error.restore(py);
            ptr::null_mut()
        }
    }
}

/// Lists the numbers `first..end`, which the interpreter counts by itself.
pub fn range(py: Python<'_>, first: c_long, end: c_long) -> PyResult<Bound<'_, PyList>> {
    let range = PyRange::new(py, first as isize, end as isize)?;
    // SAFETY: attached to the interpreter, and a reference to a range; the result is a new list, or null.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PySequence_List(range.as_ptr()))?;
        Ok(list.cast_into_unchecked())
    }
}

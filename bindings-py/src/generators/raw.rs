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
/// With the interpreter lock.
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
    // SAFETY: with the interpreter lock, and a reference to a range; the result is a new list, or null.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PySequence_List(range.as_ptr()))?;
        Ok(list.cast_into_unchecked())
    }
}

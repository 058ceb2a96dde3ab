//! The hot calls, written with the C interface: `next()` without arguments, and `for`. PyO3's call of a
//! method costs more than drawing an ID. Where no ID is at hand, PyO3's method is called.

#![expect(unsafe_code, reason = "methods and a type in the C interface's own words")]

use std::ffi::{CString, c_void};
use std::ptr;

use pyo3::exceptions::{PySystemError, PyTypeError};
use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::client::driver::{Drawn, Holding, Kind};
use crate::generators::awaiting::HasGenerator;
use crate::generators::raw;
use crate::values::outside;

pub struct Made {
    /// PyO3's own `next`.
    thorough: PyOnceLock<Py<PyAny>>,
    /// The iterator's type.
    ids: PyOnceLock<Py<PyType>>,
}

impl Made {
    pub const fn new() -> Made {
        Made { thorough: PyOnceLock::new(), ids: PyOnceLock::new() }
    }
}

/// Replaces PyO3's `next` in the class with the quick one.
pub fn install<C: HasGenerator>(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<C>();
    let thorough = class.getattr("next")?;
    let signature: String = thorough.getattr("__text_signature__")?.extract()?;
    let doc: String = thorough.getattr("__doc__")?.extract()?;
    let doc = CString::new(format!("next{signature}\n--\n\n{doc}"))?;
    C::made().thorough.get_or_init(py, || thorough.unbind());
    // The interpreter keeps a pointer to the definition, and to its texts.
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"next".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: next::<C> },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: Box::leak(doc.into_boxed_c_str()).as_ptr(),
    }));
    // SAFETY: the definition has its function's flags, and lives for ever.
    let quick = unsafe {
        let descriptor = ffi::PyDescr_NewMethod(class.as_type_ptr(), method);
        Bound::from_owned_ptr_or_err(py, descriptor)?
    };
    class.setattr("next", quick)
}

unsafe extern "C" fn next<C: HasGenerator>(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called with the interpreter lock, on an instance of the class: the descriptor has
    // checked that. No PyO3 reference is dropped here.
    unsafe {
        if count == 0 && names.is_null() {
            quick::<C>(slf, || next_thoroughly::<C>(slf, args, count, names))
        } else {
            next_thoroughly::<C>(slf, args, count, names)
        }
    }
}

/// An ID that is at hand, or else the result of `otherwise`. Makes tail calls only, so that nothing has
/// to be saved on the stack.
///
/// # Safety
/// With the interpreter lock, and a reference to an instance of the class.
#[inline]
unsafe fn quick<C: HasGenerator>(
    owner: *mut PyObject,
    otherwise: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe {
        let generator = C::of(Borrowed::from_ptr(Python::assume_attached(), owner));
        let holding = generator.holding.get();
        match holding.draw_calling_nothing() {
            Some(Drawn { id, calls_driver: false }) => raw::integer(id),
            Some(Drawn { id, calls_driver: true }) => calling(holding, id),
            None => otherwise(),
        }
    }
}

/// Calls the driver, then returns the ID.
///
/// # Safety
/// With the interpreter lock.
#[cold]
#[inline(never)]
unsafe fn calling<K: Kind>(holding: &Holding<K>, id: u64) -> *mut PyObject {
    holding.call_driver();
    // SAFETY: as this function's own.
    unsafe { raw::integer(id) }
}

/// # Safety
/// As [`next`].
#[cold]
#[inline(never)]
unsafe fn next_thoroughly<C: HasGenerator>(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        if count == 0
            && names.is_null()
            && let Some(id) = at_hand::<C>(slf)
        {
            return raw::integer(id);
        }
        Python::attach(|py| {
            let passed_on = || {
                // Some versions of CPython pass a count of -1 when a specialized call site meets
                // an unbound method without arguments.
                let count = usize::try_from(count)
                    .map_err(|_| PyTypeError::new_err("unbound method next() needs an argument"))?;
                let method = C::made().thorough.get(py).ok_or_else(not_installed)?.bind(py);
                pass_on(method, slf, args, count, names)
            };
            raised(py, passed_on())
        })
    }
}

/// One ID of an instance, if it is at hand.
///
/// # Safety
/// With the interpreter lock, and a reference to an instance of the class.
#[inline]
unsafe fn at_hand<C: HasGenerator>(owner: *mut PyObject) -> Option<u64> {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe { C::of(Borrowed::from_ptr(Python::assume_attached(), owner)).at_hand() }
}

fn not_installed() -> PyErr {
    PySystemError::new_err("`next` was called before it was installed")
}

/// Calls a method with the arguments of a vector call.
///
/// # Safety
/// As of a function with `METH_FASTCALL | METH_KEYWORDS`.
unsafe fn pass_on<'py>(
    method: &Bound<'py, PyAny>,
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: usize,
    names: *mut PyObject,
) -> PyResult<Bound<'py, PyAny>> {
    let py = method.py();
    // SAFETY: the names are a tuple, or null.
    let names = unsafe {
        let names = Bound::from_borrowed_ptr_or_opt(py, names);
        names.map(|names| names.cast_into_unchecked::<PyTuple>())
    };
    // SAFETY: there are `count` arguments, and behind them one for each of the names.
    let given = |at: usize| unsafe { Bound::from_borrowed_ptr(py, *args.add(at)) };
    // SAFETY: the object is alive during a call of its method.
    let owner = unsafe { Bound::from_borrowed_ptr(py, slf) };
    let positional: Vec<_> = [owner].into_iter().chain((0..count).map(given)).collect();
    let named = PyDict::new(py);
    for (at, name) in names.iter().flatten().enumerate() {
        named.set_item(name, given(count + at))?;
    }
    outside::call(method, PyTuple::new(py, positional)?, Some(&named))
}

fn raised(py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) -> *mut PyObject {
    match outcome {
        Ok(value) => value.into_ptr(),
        Err(error) => {
            error.restore(py);
            ptr::null_mut()
        }
    }
}

/// The iterator of a `for` loop.
#[repr(C)]
struct Ids {
    base: PyObject,
    /// The generator: a counted reference.
    owner: *mut PyObject,
}

/// An iterator over the IDs of a generator.
pub fn ids<'py, C: HasGenerator>(owner: &Bound<'py, C>) -> PyResult<Bound<'py, PyAny>> {
    let made = raw::allocated(class::<C>(owner.py())?)?;
    let object = made.as_ptr().cast::<Ids>();
    // SAFETY: the type's size is that of `Ids`; every field is written before anybody sees the object.
    unsafe {
        ffi::Py_INCREF(owner.as_ptr());
        (&raw mut (*object).owner).write(owner.as_ptr());
    }
    Ok(made)
}

fn class<C: HasGenerator>(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let slots: [(_, *mut c_void); 3] = [
        (ffi::Py_tp_dealloc, dealloc as *mut c_void),
        (ffi::Py_tp_iter, itself as *mut c_void),
        (ffi::Py_tp_iternext, next_id::<C> as *mut c_void),
    ];
    // SAFETY: the functions have their slots' types, and instances are of type `Ids`.
    let made = C::made().ids.get_or_try_init(py, || unsafe {
        raw::new_type::<Ids>(py, c"leafid._native.Ids", 0, &slots)
    })?;
    Ok(made.bind(py))
}

unsafe extern "C" fn dealloc(slf: *mut PyObject) {
    // SAFETY: the last reference is gone, so nothing else accesses the object.
    unsafe {
        let class = ffi::Py_TYPE(slf);
        let owner = (*slf.cast::<Ids>()).owner;
        ffi::PyObject_Free(slf.cast());
        ffi::Py_DECREF(owner);
        ffi::Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn itself(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: the caller has a reference, and gets another.
    unsafe { ffi::Py_NewRef(slf) }
}

unsafe extern "C" fn next_id<C: HasGenerator>(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: called with the interpreter lock; the owner is alive as long as the object is, and of
    // the class for which this type was made.
    unsafe {
        let owner = (*slf.cast::<Ids>()).owner;
        quick::<C>(owner, || next_of::<C>(owner))
    }
}

/// The next ID by the class's `next`, which waits, where none is at hand.
///
/// # Safety
/// With the interpreter lock, and a reference to an instance of the class.
#[cold]
#[inline(never)]
unsafe fn next_of<C: HasGenerator>(owner: *mut PyObject) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        if let Some(id) = at_hand::<C>(owner) {
            return raw::integer(id);
        }
        Python::attach(|py| {
            let owner = Bound::from_borrowed_ptr(py, owner);
            raised(py, outside::call_method(&owner, "next", (), None))
        })
    }
}

//! The hot calls, written with the C interface: `next()` without arguments, and `for`. PyO3's call of a
//! method costs more than drawing an ID. Where no ID is at hand, PyO3's method is called.

#![expect(unsafe_code, reason = "methods and a type in the C interface's own words")]

use std::ffi::{CString, c_void};

use pyo3::PyTypeInfo;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::client::driver::{Config, Drawn, Holding};
use crate::generators::generator::PyGenerator;
use crate::generators::raw;
use crate::values::outside;

/// Adds the quick `next` to a class, in front of its base's; `STAMPS` says whether its IDs are snowflakes.
/// Each class has its own, since the interpreter is quick only with a method of the very type.
pub fn install<C: PyTypeInfo, const STAMPS: bool>(py: Python<'_>) -> PyResult<()> {
    let (class, thorough) = (py.get_type::<C>(), thorough(py)?);
    let signature: String = thorough.getattr("__text_signature__")?.extract()?;
    let doc: String = thorough.getattr("__doc__")?.extract()?;
    let doc = CString::new(format!("next{signature}\n--\n\n{doc}"))?;
    // The interpreter keeps a pointer to the definition, and to its texts.
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"next".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: next::<STAMPS> },
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

/// PyO3's own `next`.
fn thorough(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.get_type::<PyGenerator>().getattr("next")
}

/// The generator that is behind an object.
///
/// # Safety
/// With the interpreter lock, and a reference to an instance of the class, which outlives the result.
pub unsafe fn of<'a>(owner: *mut PyObject) -> &'a PyGenerator {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe {
        let owner: Borrowed<'a, '_, PyAny> = Borrowed::from_ptr(Python::assume_attached(), owner);
        let owner: Borrowed<'a, '_, PyGenerator> = owner.cast_unchecked();
        owner.get()
    }
}

unsafe extern "C" fn next<const STAMPS: bool>(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: called with the interpreter lock, on an instance of the class: the descriptor has
    // checked that. No PyO3 reference is dropped here.
    unsafe {
        if count == 0 && names.is_null() {
            quick::<STAMPS>(slf, || next_thoroughly(slf, args, count, names))
        } else {
            next_thoroughly(slf, args, count, names)
        }
    }
}

/// An ID that is at hand, or else the result of `otherwise`. Makes tail calls only, so that nothing has
/// to be saved on the stack.
///
/// # Safety
/// With the interpreter lock, and a reference to an instance of the class.
#[inline]
unsafe fn quick<const STAMPS: bool>(
    owner: *mut PyObject,
    otherwise: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe {
        let holding = of(owner).generator.last_holding();
        match holding.draw_calling_nothing::<STAMPS>() {
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
unsafe fn calling(holding: &Holding, id: u64) -> *mut PyObject {
    holding.call_driver();
    // SAFETY: as this function's own.
    unsafe { raw::integer(id) }
}

/// # Safety
/// As [`next`].
#[cold]
#[inline(never)]
unsafe fn next_thoroughly(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        if count == 0
            && names.is_null()
            && let Some(id) = of(slf).at_hand()
        {
            return raw::integer(id);
        }
        Python::attach(|py| {
            let passed_on = || {
                // Some versions of CPython pass a count of -1 when a specialized call site meets
                // an unbound method without arguments.
                let count = usize::try_from(count)
                    .map_err(|_| PyTypeError::new_err("unbound method next() needs an argument"))?;
                pass_on(&thorough(py)?, slf, args, count, names)
            };
            raw::raised(py, passed_on())
        })
    }
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

/// The iterator of a `for` loop.
#[repr(C)]
struct Ids {
    base: PyObject,
    /// The generator: a counted reference.
    owner: *mut PyObject,
}

/// An iterator over the IDs of a generator.
pub fn ids<'py>(owner: &Bound<'py, PyGenerator>) -> PyResult<Bound<'py, PyAny>> {
    let stamps = matches!(&*owner.get().generator.config, Config::Snowflake(_));
    let made = raw::allocated(class(owner.py(), stamps)?)?;
    let object = made.as_ptr().cast::<Ids>();
    // SAFETY: the type's size is that of `Ids`; every field is written before anybody sees the object.
    unsafe {
        ffi::Py_INCREF(owner.as_ptr());
        (&raw mut (*object).owner).write(owner.as_ptr());
    }
    Ok(made)
}

fn class(py: Python<'_>, stamps: bool) -> PyResult<&Bound<'_, PyType>> {
    static CLASSES: [PyOnceLock<Py<PyType>>; 2] = [PyOnceLock::new(), PyOnceLock::new()];
    let next = if stamps { next_id::<true> } else { next_id::<false> };
    let slots: [(_, *mut c_void); 3] = [
        (ffi::Py_tp_dealloc, dealloc as *mut c_void),
        (ffi::Py_tp_iter, raw::itself as *mut c_void),
        (ffi::Py_tp_iternext, next as *mut c_void),
    ];
    // SAFETY: the functions have their slots' types, and instances are of type `Ids`.
    let made = CLASSES[usize::from(stamps)].get_or_try_init(py, || unsafe {
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

unsafe extern "C" fn next_id<const STAMPS: bool>(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: called with the interpreter lock; the owner is alive as long as the object is, and of
    // the class for which this type was made.
    unsafe {
        let owner = (*slf.cast::<Ids>()).owner;
        quick::<STAMPS>(owner, || next_of(owner))
    }
}

/// The next ID by the class's `next`, which waits, where none is at hand.
///
/// # Safety
/// With the interpreter lock, and a reference to an instance of the class.
#[cold]
#[inline(never)]
unsafe fn next_of(owner: *mut PyObject) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        if let Some(id) = of(owner).at_hand() {
            return raw::integer(id);
        }
        Python::attach(|py| {
            let owner = Bound::from_borrowed_ptr(py, owner);
            raw::raised(py, outside::call_method(&owner, "next", (), None))
        })
    }
}

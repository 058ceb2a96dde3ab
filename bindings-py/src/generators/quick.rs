//! The hot calls, written with the C interface: `next()`, `take(1)`, `for`, `base32(id)`. PyO3's call costs more than
//! drawing an ID. Where no ID is at hand, and for arguments that may have to be refused, PyO3's call is made.

#![expect(unsafe_code, reason = "methods and a type in the C interface's own words")]

use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::OnceLock;

/// How draws are counted: with an interpreter's lock one thread draws at a time.
#[cfg(not(Py_GIL_DISABLED))]
pub use leafid::driver::InTurn as Counted;
#[cfg(Py_GIL_DISABLED)]
pub use leafid::driver::SideBySide as Counted;
use leafid::driver::{Drawn, Holding};
use leafid_core::Text;
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::generators::awaiting::awaitable;
use crate::generators::generator::PyGenerator;
use crate::generators::raw;
use crate::generators::verb::Verb;
use crate::values::{self, outside};

/// The name of an argument, which calls pass as the same object.
static TIMEOUT: OnceLock<Py<PyString>> = OnceLock::new();

/// Adds a class with the quick calls to a module, in place of PyO3's, its base; `STAMPS` says whether its
/// IDs are snowflakes.
pub fn add_class<C: PyTypeInfo, const STAMPS: bool>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let base = py.get_type::<C>();
    // The interpreter keeps pointers to the definitions, and to their texts.
    let method = |name: &'static CStr, quick| -> PyResult<ffi::PyMethodDef> {
        Ok(ffi::PyMethodDef {
            ml_name: name.as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: quick },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: doc(name, &thorough(py, name)?)?.as_ptr(),
        })
    };
    let end = ffi::PyMethodDef::zeroed();
    TIMEOUT.get_or_init(|| PyString::intern(py, "timeout").unbind());
    let methods = [
        method(c"next", next::<STAMPS>)?,
        method(c"take", take::<STAMPS>)?,
        method(c"anext", anext)?,
        end,
    ];
    let methods = Box::leak(Box::new(methods));
    let name = Box::leak(CString::new(base.name()?.to_string())?.into_boxed_c_str());
    let slots: [(_, *mut c_void); 6] = [
        (ffi::Py_tp_base, base.as_ptr().cast()),
        (ffi::Py_tp_doc, doc(name, &base)?.as_ptr().cast_mut().cast()),
        (ffi::Py_tp_iternext, next_id::<STAMPS> as *mut c_void),
        (ffi::Py_am_anext, anext_id as *mut c_void),
        (ffi::Py_tp_finalize, finalize as *mut c_void),
        (ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
    ];
    let full = CString::new(format!("leafid.{}", base.name()?))?;
    // SAFETY: the functions have their slots' types, and instances are of the base's size.
    let class = unsafe { raw::new_type(py, Box::leak(full.into_boxed_c_str()), 0, 0, &slots)? };
    module.add(base.name()?, class)
}

/// Puts the quick `base32` in place of PyO3's.
pub fn add_base32(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let thorough = module.getattr("base32")?;
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"base32".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: base32 },
        ml_flags: ffi::METH_O,
        ml_doc: doc(c"base32", &thorough)?.as_ptr(),
    }));
    let name = module.name()?;
    // SAFETY: the interpreter may keep the definition, which stays; the result is a new reference, or null.
    let quick = unsafe {
        let quick = ffi::PyCFunction_NewEx(method, module.as_ptr(), name.as_ptr());
        Bound::from_owned_ptr_or_err(py, quick)?
    };
    module.add("base32", quick)
}

/// The text of a function or class as the C interface has it: with the signature.
fn doc(name: &CStr, of: &Bound<'_, PyAny>) -> PyResult<&'static CStr> {
    let signature: String = of.getattr("__text_signature__")?.extract()?;
    let doc: String = of.getattr("__doc__")?.extract()?;
    let doc = CString::new(format!("{}{signature}\n--\n\n{doc}", name.to_string_lossy()))?;
    Ok(Box::leak(doc.into_boxed_c_str()))
}

/// PyO3's own method of a name.
fn thorough<'py>(py: Python<'py>, name: &CStr) -> PyResult<Bound<'py, PyAny>> {
    py.get_type::<PyGenerator>().getattr(name)
}

/// The generator that is behind an object.
///
/// # Safety
/// Attached to the interpreter, and with a reference to an instance of the class, which outlives the result.
pub unsafe fn of<'a>(owner: *mut PyObject) -> &'a PyGenerator {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe {
        let owner: Borrowed<'a, '_, PyAny> = Borrowed::from_ptr(Python::assume_attached(), owner);
        let owner: Borrowed<'a, '_, PyGenerator> = owner.cast_unchecked();
        owner.get()
    }
}

/// A call of a method, as `METH_FASTCALL | METH_KEYWORDS` has it: `count` arguments, and behind them one for each of
/// the names, a tuple or null.
#[derive(Clone, Copy)]
struct Call {
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
}

unsafe extern "C" fn next<const STAMPS: bool>(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    let call = Call { slf, args, count, names };
    // SAFETY: called in an attached thread, on an instance of the class: the descriptor has
    // checked that. No PyO3 reference is dropped here.
    unsafe {
        if (count == 0 && names.is_null()) || is_time(call) {
            quick::<STAMPS>(slf, || next_thoroughly(call))
        } else {
            next_thoroughly(call)
        }
    }
}

/// Whether the one argument is a `timeout` that is not refused: an ID at hand does not need it.
///
/// # Safety
/// As [`next`].
#[inline]
unsafe fn is_time(Call { args, count, names, .. }: Call) -> bool {
    // SAFETY: as this function's own: there is an argument for each of the names.
    unsafe {
        let is_one = match count {
            1 => names.is_null(),
            0 => {
                let timeout = TIMEOUT.get();
                !names.is_null()
                    && ffi::PyTuple_Size(names) == 1
                    && timeout.is_some_and(|own| own.as_ptr() == ffi::PyTuple_GetItem(names, 0))
            }
            _ => false,
        };
        is_one
            && (raw::float(*args).is_some_and(|s| s >= 0.0)
                || raw::long(*args).is_some_and(|s| s >= 0))
    }
}

unsafe extern "C" fn take<const STAMPS: bool>(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as `next`.
    unsafe {
        if count == 1 && names.is_null() && raw::long(*args) == Some(1) {
            let id = quick::<STAMPS>(slf, ptr::null_mut);
            if !id.is_null() || !ffi::PyErr_Occurred().is_null() {
                return raw::list_of(id);
            }
        }
        thoroughly(c"take", Call { slf, args, count, names })
    }
}

/// An ID that is at hand, or else the result of `otherwise`. Makes tail calls only, so that nothing has
/// to be saved on the stack.
///
/// # Safety
/// Attached to the interpreter, and with a reference to an instance of the class.
#[inline]
unsafe fn quick<const STAMPS: bool>(
    owner: *mut PyObject,
    otherwise: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe {
        let holding = of(owner).generator.last_holding();
        match holding.draw_calling_nothing::<STAMPS, Counted>() {
            Some(Drawn { id, calls_driver: false }) => raw::integer(id),
            Some(Drawn { id, calls_driver: true }) => calling(holding, id),
            None => otherwise(),
        }
    }
}

/// Calls the driver, then returns the ID.
///
/// # Safety
/// Attached to the interpreter.
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
unsafe fn next_thoroughly(call: Call) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        if call.count == 0
            && call.names.is_null()
            && let Some(id) = of(call.slf).at_hand()
        {
            return raw::integer(id);
        }
        thoroughly(c"next", call)
    }
}

unsafe extern "C" fn anext(
    slf: *mut PyObject,
    args: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as `next`.
    unsafe {
        if count == 0 && names.is_null() {
            anext_id(slf)
        } else {
            thoroughly(c"anext", Call { slf, args, count, names })
        }
    }
}

unsafe extern "C" fn anext_id(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: called in an attached thread, on an instance of the class.
    unsafe {
        let py = Python::assume_attached();
        let owner = Borrowed::from_ptr(py, slf).cast_unchecked::<PyGenerator>();
        raw::raised(py, awaitable(&owner, Verb::Next, owner.get().generator.timeout))
    }
}

/// Calls PyO3's own method of a name.
///
/// # Safety
/// As [`next`].
#[cold]
unsafe fn thoroughly(name: &CStr, call: Call) -> *mut PyObject {
    Python::attach(|py| {
        let passed_on = || {
            // Some versions of CPython pass a count of -1 when a specialized call site meets an unbound
            // method without arguments.
            let unbound = |_| {
                let name = name.to_string_lossy();
                PyTypeError::new_err(format!("unbound method {name}() needs an argument"))
            };
            let count = usize::try_from(call.count).map_err(unbound)?;
            // SAFETY: as this function's own.
            unsafe { pass_on(&thorough(py, name)?, call, count) }
        };
        raw::raised(py, passed_on())
    })
}

/// Calls a method with the arguments of a call, of which `count` are positional.
///
/// # Safety
/// As [`next`].
unsafe fn pass_on<'py>(
    method: &Bound<'py, PyAny>,
    call: Call,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = method.py();
    // SAFETY: as [`Call`] says; the object is alive during a call of its method.
    let (names, owner) = unsafe {
        let names = Bound::from_borrowed_ptr_or_opt(py, call.names);
        let names = names.map(|names| names.cast_into_unchecked::<PyTuple>());
        (names, Bound::from_borrowed_ptr(py, call.slf))
    };
    // SAFETY: as [`Call`] says.
    let given = |at: usize| unsafe { Bound::from_borrowed_ptr(py, *call.args.add(at)) };
    let positional: Vec<_> = [owner].into_iter().chain((0..count).map(given)).collect();
    let named = PyDict::new(py);
    for (at, name) in names.iter().flatten().enumerate() {
        named.set_item(name, given(count + at))?;
    }
    outside::call(method, PyTuple::new(py, positional)?, Some(&named))
}

unsafe extern "C" fn base32(_module: *mut PyObject, id: *mut PyObject) -> *mut PyObject {
    // SAFETY: called in an attached thread, with a reference to the argument; a text is ASCII.
    unsafe {
        let number = raw::long(id).and_then(|id| u64::try_from(id).ok());
        if let Some(text) = number.and_then(|id| Text::base32(id).ok()) {
            let text = text.as_str();
            return ffi::PyUnicode_FromStringAndSize(
                text.as_ptr().cast(),
                text.len() as Py_ssize_t,
            );
        }
        Python::attach(|py| {
            let shown = values::base32(&Bound::from_borrowed_ptr(py, id));
            raw::raised(py, shown.map(Bound::into_any))
        })
    }
}

unsafe extern "C" fn next_id<const STAMPS: bool>(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: called in an attached thread, on an instance of the class.
    unsafe {
        let call = Call { slf, args: ptr::null(), count: 0, names: ptr::null_mut() };
        quick::<STAMPS>(slf, || next_thoroughly(call))
    }
}

/// The finalizer: the interpreter calls it once, when no reference to the object is left, and before the collector clears the
/// objects that this one refers to.
unsafe extern "C" fn finalize(slf: *mut PyObject) {
    // SAFETY: called in an attached thread, on an instance of the class. Not by `attach`, which an interpreter refuses
    // at its very end.
    unsafe { of(slf) }.finish();
}

//! The awaitable that `anext` and its like return: it has a coroutine's methods, and completes at once
//! while IDs are at hand.
//!
//! Its type uses the C interface: PyO3 has no `am_send`, and without that slot each value would have to
//! be raised in a `StopIteration`, which costs more than drawing an ID.

#![expect(unsafe_code, reason = "a Python type in the C interface's own words")]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use leafid::driver::Call;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::ffi::{self, PyObject, PySendResult};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyType;

use crate::generators::awaiting::Waiter;
use crate::generators::generator::PyGenerator;
use crate::generators::quick::of;
use crate::generators::raw;
use crate::generators::verb::Verb;
use crate::values::outside;

/// A value, or the coroutine that waits for it.
type Begun<'py> = Result<Bound<'py, PyAny>, Bound<'py, PyAny>>;

/// The awaitable. Accessed only [`alone`], but where it is made and freed, and never through a Rust reference
/// that outlives a call into Python.
#[repr(C)]
struct Awaitable {
    base: PyObject,
    /// The generator: a counted reference.
    owner: *mut PyObject,
    /// The coroutine of `leafid._aio` that waits: a counted reference, or null, also while it runs.
    inner: *mut PyObject,
    verb: Verb,
    timeout: f64,
    /// Whether it was never awaited, or closed.
    is_fresh: bool,
}

/// Creates an awaitable that carries out the verb when it is awaited, and waits up to `timeout`
/// seconds.
#[inline]
pub fn awaitable<'py>(
    owner: &Bound<'py, PyGenerator>,
    verb: Verb,
    timeout: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, class) = (owner.py(), class(owner.py())?);
    // SAFETY: the object is new and zeroed, and its type's size is `Awaitable`'s; every field is written
    // before any other code sees it. The other fields need no drop.
    unsafe {
        let object = ffi::PyType_GenericAlloc(class.as_type_ptr(), 0);
        let made = Bound::from_owned_ptr_or_err(py, object)?;
        let object = object.cast::<Awaitable>();
        (&raw mut (*object).owner).write(ffi::Py_NewRef(owner.as_ptr()));
        (&raw mut (*object).verb).write(verb);
        (&raw mut (*object).timeout).write(timeout);
        (&raw mut (*object).is_fresh).write(true);
        Ok(made)
    }
}

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: OnceLock<Py<PyType>> = OnceLock::new();
    let made = outside::once(&CLASS, || {
        // The interpreter keeps pointers to the methods.
        let methods = Box::leak(Box::new(methods()));
        let slots: [(_, *mut c_void); 8] = [
            (ffi::Py_tp_dealloc, dealloc as *mut c_void),
            (ffi::Py_tp_traverse, traverse as *mut c_void),
            (ffi::Py_tp_clear, clear as *mut c_void),
            (ffi::Py_tp_iter, itself as *mut c_void),
            (ffi::Py_am_await, itself as *mut c_void),
            (ffi::Py_tp_iternext, next as *mut c_void),
            (ffi::Py_am_send, send as *mut c_void),
            (ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
        ];
        let name = c"leafid._native.Awaitable";
        let closed = ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION | ffi::Py_TPFLAGS_IMMUTABLETYPE;
        let flags = ffi::Py_TPFLAGS_HAVE_GC | closed;
        // SAFETY: the functions have their slots' types, and instances are of type `Awaitable`.
        unsafe { raw::new_type(py, name, size_of::<Awaitable>(), flags, &slots) }
    })?;
    Ok(made.bind(py))
}

fn methods() -> [ffi::PyMethodDef; 4] {
    let method = |name: &'static std::ffi::CStr, function, flags| ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: function },
        ml_flags: flags,
        ml_doc: ptr::null(),
    };
    [
        method(c"send", method_send, ffi::METH_O),
        method(c"throw", method_throw, ffi::METH_O),
        method(c"close", method_close, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ]
}

unsafe extern "C" fn dealloc(slf: *mut PyObject) {
    // SAFETY: the last reference is gone, so nothing else accesses the object.
    unsafe {
        let class = ffi::Py_TYPE(slf);
        ffi::PyObject_GC_UnTrack(slf.cast());
        if (*slf.cast::<Awaitable>()).is_fresh {
            warn((*slf.cast::<Awaitable>()).verb);
        }
        clear(slf);
        ffi::PyObject_GC_Del(slf.cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// Warns about a call that was never awaited, and so did nothing, as Python does for a coroutine.
#[cold]
fn warn(verb: Verb) {
    let text = match verb {
        Verb::Next => c"`anext()` was never awaited: no ID was drawn",
        Verb::Take(_) => c"`atake()` was never awaited: no ID was drawn",
        Verb::Ready(_) => c"`aready()` was never awaited: nothing was waited for",
        Verb::Release => c"`arelease()` was never awaited: nothing was given back",
        Verb::Close => c"`aclose()` was never awaited: the generator is not closed",
        Verb::Fill(_) | Verb::Itself => return,
    };
    // An exception that is being raised waits meanwhile. A warning that is an error cannot be caught here, and is
    // reported as unraisable.
    Python::attach(|py| {
        let raised = PyErr::take(py);
        // SAFETY: attached to the interpreter.
        unsafe {
            if ffi::PyErr_WarnEx(ffi::PyExc_RuntimeWarning, text.as_ptr(), 1) < 0 {
                ffi::PyErr_WriteUnraisable(ptr::null_mut());
            }
        }
        raised.into_iter().for_each(|raised| raised.restore(py));
    });
}

unsafe extern "C" fn traverse(
    slf: *mut PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: the collector calls this in an attached thread; the references are alive or null.
    unsafe {
        let object = slf.cast::<Awaitable>();
        for seen in [ffi::Py_TYPE(slf).cast(), (*object).owner, (*object).inner] {
            if !seen.is_null() {
                let stop = visit(seen, arg);
                if stop != 0 {
                    return stop;
                }
            }
        }
    }
    0
}

unsafe extern "C" fn clear(slf: *mut PyObject) -> c_int {
    let object = slf.cast::<Awaitable>();
    // SAFETY: the reference is taken out before it is dropped, since dropping may run any code.
    unsafe {
        ffi::Py_XDECREF(taken(object));
        ffi::Py_XDECREF(ptr::replace(&raw mut (*object).owner, ptr::null_mut()));
    }
    0
}

/// Acts while no other thread accesses the object: the interpreter lock excludes them, or where there is none the
/// object's own. As the first, that lets others in during a call into Python.
///
/// # Safety
/// Attached to the interpreter, and with a reference to the object.
#[inline]
unsafe fn alone<T>(slf: *mut PyObject, act: impl FnOnce() -> T) -> T {
    // SAFETY: as this function's own. No count of references is touched.
    unsafe { with_critical_section(&Borrowed::from_ptr(Python::assume_attached(), slf), act) }
}

/// Takes the coroutine that waits, if there is one, so that no other thread runs it; the call is no longer fresh.
///
/// # Safety
/// As [`alone`].
unsafe fn taken(object: *mut Awaitable) -> *mut PyObject {
    // SAFETY: as this function's own.
    unsafe {
        alone(object.cast(), || {
            (*object).is_fresh = false;
            ptr::replace(&raw mut (*object).inner, ptr::null_mut())
        })
    }
}

/// Puts a coroutine back that still waits, and drops any other.
///
/// # Safety
/// As [`alone`], and with a reference to the coroutine, which this takes.
unsafe fn put(object: *mut Awaitable, inner: *mut PyObject, waits: bool) {
    // SAFETY: as this function's own. While the coroutine was taken, no other was set.
    unsafe {
        if waits {
            alone(object.cast(), || (*object).inner = inner);
        } else {
            ffi::Py_DECREF(inner);
        }
    }
}

unsafe extern "C" fn itself(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: the caller has a reference, and gets another.
    unsafe { ffi::Py_NewRef(slf) }
}

unsafe extern "C" fn send(
    slf: *mut PyObject,
    value: *mut PyObject,
    result: *mut *mut PyObject,
) -> PySendResult {
    let object = slf.cast::<Awaitable>();
    // SAFETY: called with a reference to the object; `owner` is alive while the call is fresh, and `inner` is
    // taken while it runs, whatever it does to this object. No PyO3 reference is dropped outside of
    // `attach`: PyO3 would have to know that this thread is attached.
    unsafe {
        *result = ptr::null_mut();
        let inner = alone(slf, || {
            let inner = ptr::replace(&raw mut (*object).inner, ptr::null_mut());
            if !inner.is_null() {
                return inner;
            }
            if let Some(id) = at_once(object) {
                *result = raw::integer(id);
                return ptr::null_mut();
            }
            Python::attach(|py| match begin(py, object) {
                Ok(Err(waiting)) => waiting.into_ptr(),
                given => {
                    *result =
                        raw::raised(py, given.map(|given| given.unwrap_or_else(|inner| inner)));
                    ptr::null_mut()
                }
            })
        });
        if inner.is_null() {
            let failed = (*result).is_null();
            return if failed { PySendResult::PYGEN_ERROR } else { PySendResult::PYGEN_RETURN };
        }
        let how = outside::send(inner, value, result);
        put(object, inner, how == PySendResult::PYGEN_NEXT);
        how
    }
}

/// One ID for `anext`, if it is at hand and no other caller waits.
///
/// # Safety
/// [`alone`].
#[inline]
unsafe fn at_once(object: *mut Awaitable) -> Option<u64> {
    // SAFETY: the owner is alive while the call is fresh.
    unsafe {
        if !(*object).is_fresh || (*object).verb != Verb::Next {
            return None;
        }
        let owner = of((*object).owner);
        let id = if owner.is_queued() { None } else { owner.at_hand() };
        (*object).is_fresh = id.is_none();
        id
    }
}

/// Makes the first try: the value, or else the coroutine that waits for it.
///
/// # Safety
/// [`alone`].
unsafe fn begin(py: Python<'_>, object: *mut Awaitable) -> PyResult<Begun<'_>> {
    // SAFETY: the owner is alive while the call is fresh, and a reference of our own holds it meanwhile.
    unsafe {
        if !ptr::replace(&raw mut (*object).is_fresh, false) {
            let message = "this call was awaited before: each await is a call of its own";
            return Err(PyRuntimeError::new_err(message));
        }
        let verb = (*object).verb;
        let call = Call::new(verb.count(), (*object).timeout);
        let owner = Bound::from_borrowed_ptr(py, (*object).owner);
        let owner = owner.cast_into_unchecked::<PyGenerator>();
        // Callers that wait already come first; closing does not queue.
        let in_turn =
            matches!(verb, Verb::Release | Verb::Close | Verb::Itself) || !owner.get().is_queued();
        if in_turn && let Ok(value) = PyGenerator::step(&owner, verb, &call)? {
            return Ok(Ok(value.into_bound(py)));
        }
        let waiter = Waiter { owner: owner.unbind(), verb, call };
        let wait = outside::of_module(py, "leafid._aio", "wait")?;
        outside::call(&wait, (waiter,), None).map(Err)
    }
}

unsafe extern "C" fn next(slf: *mut PyObject) -> *mut PyObject {
    // SAFETY: called in an attached thread.
    unsafe { method_send(slf, ffi::Py_None()) }
}

unsafe extern "C" fn method_send(slf: *mut PyObject, value: *mut PyObject) -> *mut PyObject {
    let mut result = ptr::null_mut();
    // SAFETY: called in an attached thread; `result` is a new reference, or null.
    unsafe {
        match send(slf, value, &raw mut result) {
            PySendResult::PYGEN_RETURN => Python::attach(|py| {
                let value = Bound::from_owned_ptr(py, result).unbind();
                PyStopIteration::new_err((value,)).restore(py);
                ptr::null_mut()
            }),
            PySendResult::PYGEN_NEXT => result,
            PySendResult::PYGEN_ERROR => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn method_throw(slf: *mut PyObject, error: *mut PyObject) -> *mut PyObject {
    // SAFETY: called in an attached thread, and an exception or its class.
    Python::attach(|py| unsafe {
        let (object, error) = (slf.cast(), Bound::from_borrowed_ptr(py, error));
        let thrown = match Bound::from_owned_ptr_or_opt(py, taken(object)) {
            Some(inner) => {
                let thrown = outside::call_method(&inner, "throw", (error,), None);
                put(object, inner.into_ptr(), thrown.is_ok());
                thrown
            }
            // Nothing was drawn, or the value was returned: the exception is passed on.
            None => Err(PyErr::from_value(error)),
        };
        raw::raised(py, thrown)
    })
}

unsafe extern "C" fn method_close(slf: *mut PyObject, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: called in an attached thread.
    Python::attach(|py| unsafe {
        let closed = match Bound::from_owned_ptr_or_opt(py, taken(slf.cast())) {
            Some(inner) => outside::call_method(&inner, "close", (), None),
            None => Ok(py.None().into_bound(py)),
        };
        raw::raised(py, closed)
    })
}

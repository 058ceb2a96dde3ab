//! Writable buffers of 64-bit integers: `array('Q')`, a memoryview, a NumPy array.
//!
//! The buffer functions are in every CPython, but in the limited API only from 3.11 on, so pyo3
//! does not declare them for 3.10. Their layout is the stable one of 3.11.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{Py_ssize_t, PyObject};
use pyo3::prelude::*;

const WRITABLE: c_int = 0x0001;
const FORMAT: c_int = 0x0004;
/// C-contiguous, whatever its shape: shape and strides are asked for with it.
const C_CONTIGUOUS: c_int = 0x0020 | 0x0010 | 0x0008;

/// `Py_buffer`.
#[repr(C)]
struct View {
    buf: *mut c_void,
    obj: *mut PyObject,
    len: Py_ssize_t,
    itemsize: Py_ssize_t,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut Py_ssize_t,
    strides: *mut Py_ssize_t,
    suboffsets: *mut Py_ssize_t,
    internal: *mut c_void,
}

#[expect(unsafe_code, reason = "declared by CPython since 2.6; see above")]
unsafe extern "C" {
    fn PyObject_GetBuffer(exporter: *mut PyObject, view: *mut View, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut View);
}

/// A buffer that is exported until this is dropped.
pub struct Buffer<'py> {
    /// Boxed: exporters may keep its address.
    view: Box<View>,
    held: PhantomData<Python<'py>>,
}

#[expect(unsafe_code, reason = "the buffer protocol is C")]
impl<'py> Buffer<'py> {
    /// Asks an object for its buffer.
    ///
    /// # Errors
    /// `TypeError` if it has none, or none that 64-bit integers can be written to.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Buffer<'py>> {
        // SAFETY: all zeros is a valid `View`.
        let mut view: Box<View> = Box::new(unsafe { std::mem::zeroed() });
        let flags = WRITABLE | FORMAT | C_CONTIGUOUS;
        // SAFETY: the object is alive, the interpreter held, the view writable.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } != 0 {
            let cause = PyErr::fetch(object.py());
            let kind = object.get_type().name()?;
            let error = refused(&format!("`{kind}`"));
            error.set_cause(object.py(), Some(cause));
            return Err(error);
        }
        let buffer = Buffer { view, held: PhantomData };
        let format = buffer.format();
        let native = format.trim_start_matches([
            '@',
            '=',
            if cfg!(target_endian = "little") { '<' } else { '>' },
        ]);
        let fits = matches!(native, "Q" | "q" | "L" | "l" | "N" | "n")
            && buffer.view.itemsize == 8
            && (buffer.view.len == 0 || buffer.view.buf.cast::<u64>().is_aligned());
        if fits { Ok(buffer) } else { Err(refused(&format!("format `{format}`"))) }
    }

    fn format(&self) -> String {
        if self.view.format.is_null() {
            return "B".to_owned();
        }
        // SAFETY: an exporter's format is a C string that lives as long as the view.
        unsafe { CStr::from_ptr(self.view.format) }.to_string_lossy().into_owned()
    }

    /// The integers.
    pub fn slots(&mut self) -> &mut [u64] {
        let count = usize::try_from(self.view.len).unwrap_or(0) / 8;
        if count == 0 {
            return &mut [];
        }
        // SAFETY: writable, contiguous, aligned and `len` bytes long, as was asked for and looked
        // at; exported until the view is released; any bits are a `u64`. No Python code runs while
        // the slice is in use, for the interpreter is held.
        unsafe { std::slice::from_raw_parts_mut(self.view.buf.cast(), count) }
    }
}

fn refused(what: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "fill needs a writable, contiguous buffer of 64-bit integers, such as `array('Q')`, not {what}"
    ))
}

#[expect(unsafe_code, reason = "the buffer protocol is C")]
impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the view was filled by `PyObject_GetBuffer`, and is released once.
        unsafe { PyBuffer_Release(&raw mut *self.view) };
    }
}

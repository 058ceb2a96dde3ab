//! Writable buffers of 64-bit integers: `array('Q')`, a memoryview, a NumPy array.
//!
//! The format is read here: pyo3's typed buffers take `>Q` for this machine's order and refuse
//! `<Q`, which is what NumPy arrays of a file have.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::values::errors;

/// A buffer that is exported, and so keeps its place and size, until this is dropped.
pub struct Buffer(PyUntypedBuffer);

impl Buffer {
    /// Asks an object for its buffer.
    ///
    /// # Errors
    /// `TypeError` if it has none, or none that 64-bit integers can be written to.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
        // A view fills in the strides that ctypes leaves out, and that pyo3 wants.
        let view = PyMemoryView::from(object);
        let buffer = match view.and_then(|view| PyUntypedBuffer::get(&view)) {
            Ok(buffer) => buffer,
            Err(cause) => {
                let error = refused(&format!("`{}`", object.get_type().name()?));
                error.set_cause(object.py(), Some(cause));
                return Err(error);
            }
        };
        let format = buffer.format().to_string_lossy();
        if !is_64_bits(&format, buffer.item_size()) {
            return Err(refused(&format!("one of format `{format}`")));
        }
        if buffer.readonly() {
            return Err(refused("one that is read-only"));
        }
        if !buffer.is_c_contiguous() {
            return Err(refused("one with gaps between its items"));
        }
        Ok(Buffer(buffer))
    }

    /// How many integers it has room for.
    pub fn len(&self) -> usize {
        self.0.item_count()
    }

    /// Whether its place in memory is one of integers.
    pub fn is_aligned(&self) -> bool {
        self.0.buf_ptr().cast::<u64>().is_aligned()
    }

    /// Its integers; none of a buffer that is not aligned. Not to be kept while the interpreter lock is
    /// given up.
    #[expect(unsafe_code, reason = "pyo3 has slices of typed buffers only")]
    pub fn integers(&mut self, _py: Python<'_>) -> &mut [u64] {
        if self.len() == 0 || !self.is_aligned() {
            return &mut [];
        }
        // SAFETY: the buffer is exported, writable, contiguous, and has `len` items of 8 bytes, as
        // was looked at, and any 8 bytes are an integer. No Python code runs while it is written;
        // other native code that writes to it would race with any way of filling it.
        unsafe { std::slice::from_raw_parts_mut(self.0.buf_ptr().cast(), self.len()) }
    }

    /// Writes integers, the first one at place `start`; those that find no room are left out.
    #[expect(unsafe_code, reason = "pyo3 writes to typed buffers only")]
    pub fn write(&self, _py: Python<'_>, start: usize, ids: &[u64]) {
        let start = start.min(self.len());
        let count = ids.len().min(self.len() - start);
        if count == 0 {
            return;
        }
        // SAFETY: the buffer is exported, writable, contiguous, and has `len` items of 8 bytes, as
        // was looked at; `ids` is ours, so that the two do not overlap. Bytes have no alignment.
        unsafe {
            let place = self.0.buf_ptr().cast::<u8>().add(start * 8);
            std::ptr::copy_nonoverlapping(ids.as_ptr().cast(), place, count * 8);
        }
    }
}

fn is_64_bits(format: &str, item_size: usize) -> bool {
    let here = if cfg!(target_endian = "little") { '<' } else { '>' };
    let kind = format.strip_prefix(['@', '=', here]).unwrap_or(format);
    matches!(kind, "Q" | "q" | "L" | "l" | "N" | "n") && item_size == 8
}

fn refused(what: &str) -> PyErr {
    errors::wrong_type(format!(
        "a buffer to fill is writable, contiguous and of 64-bit integers, such as `array('Q')`; \
         this is {what}"
    ))
}

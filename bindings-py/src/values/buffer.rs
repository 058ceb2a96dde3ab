//! Writable buffers of 64-bit integers: `array('Q')`, a memoryview, a NumPy array; of bytes, eight for each.
//!
//! The format is read here because pyo3's typed buffers take `>Q` for this machine's byte order and
//! refuse `<Q`, the format of NumPy arrays from a file.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::values::errors;

/// An exported buffer: its address and size are fixed until this is dropped.
pub struct Buffer(PyUntypedBuffer);

impl Buffer {
    /// Asks an object for its buffer.
    ///
    /// # Errors
    /// `TypeError` if it has none that 64-bit integers can be written to.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
        // A memoryview adds the strides that ctypes leaves out and pyo3 needs.
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
        let is_bytes = format == "B" && buffer.len_bytes() % 8 == 0;
        if !is_bytes && !is_64_bits(&format, buffer.item_size()) {
            return Err(refused(&format!("one of format `{format}`")));
        }
        if buffer.readonly() {
            return Err(refused("one that is read-only"));
        }
        if !buffer.is_c_contiguous() {
            return Err(refused("one with gaps between its items"));
        }
        if buffer.len_bytes() > 0 && !buffer.buf_ptr().cast::<u64>().is_aligned() {
            return Err(refused("one that begins between two integers"));
        }
        Ok(Buffer(buffer))
    }

    /// The buffer's length in integers.
    pub fn len(&self) -> usize {
        self.0.len_bytes() / 8
    }

    /// The buffer's integers. Do not keep the slice while the interpreter lock is released.
    #[expect(unsafe_code, reason = "pyo3 has slices of typed buffers only")]
    pub fn integers(&mut self, _py: Python<'_>) -> &mut [u64] {
        if self.len() == 0 {
            return &mut [];
        }
        // SAFETY: `of` has checked that the buffer is exported, writable, contiguous, aligned, and `len` times
        // 8 bytes long, and any 8 bytes are an integer. No Python code runs while it is written;
        // other native code that writes to it would race with any way of filling it.
        unsafe { std::slice::from_raw_parts_mut(self.0.buf_ptr().cast(), self.len()) }
    }
}

fn is_64_bits(format: &str, item_size: usize) -> bool {
    let here = if cfg!(target_endian = "little") { '<' } else { '>' };
    let kind = format.strip_prefix(['@', '=', here]).unwrap_or(format);
    matches!(kind, "Q" | "q" | "L" | "l" | "N" | "n") && item_size == 8
}

fn refused(what: &str) -> PyErr {
    errors::wrong_type(format!(
        "a buffer to fill is writable, contiguous and of 64-bit integers, such as `array('Q')`, or of bytes, 8 for \
         each ID; this is {what}"
    ))
}

//! Arguments whose type is checked late, where the error can name the argument.

use std::borrow::Cow;
use std::path::PathBuf;

use leafid_core::Code;
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::values::errors;

/// An argument of the wanted type, or else the name of its actual type.
pub struct Typed<T>(Result<T, String>);

pub type Text = Typed<String>;
/// The path of a file: the result of `os.fspath`, in the system's encoding.
pub type FilePath = Typed<PathBuf>;
pub type Seconds = Typed<f64>;

impl<T> Typed<T> {
    pub const fn new(value: T) -> Typed<T> {
        Typed(Ok(value))
    }

    /// The argument.
    ///
    /// # Errors
    /// `TypeError` that names it, and the type that it must have.
    pub fn get(self, what: &str) -> PyResult<T>
    where
        T: Wanted,
    {
        self.0.map_err(|kind| {
            errors::wrong_type(format!("`{what}` must be {}, got a `{kind}`", T::WANTED))
        })
    }
}

/// The name of a type in messages.
pub trait Wanted {
    const WANTED: &'static str;
}

impl Wanted for String {
    const WANTED: &'static str = "a `str`";
}

impl Wanted for PathBuf {
    const WANTED: &'static str = "the path of a file";
}

impl Wanted for f64 {
    const WANTED: &'static str = "a number of seconds";
}

/// Checks that a `str` is valid UTF-8.
///
/// # Errors
/// `REQUEST_INVALID` for lone surrogates.
pub fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    text.to_cow().map_err(|_| halves())
}

fn halves() -> PyErr {
    let message = "a text has half a character (a lone surrogate), which no UTF-8 can hold";
    errors::raise(Code::RequestInvalid, message)
}

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Typed<T> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Typed<T>> {
        match value.extract::<T>().map_err(Into::into) {
            Ok(good) => Ok(Typed(Ok(good))),
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
                Ok(Typed(Err(value.get_type().name()?.to_string())))
            }
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(value.py()) => Err(halves()),
            Err(error) => Err(error),
        }
    }
}

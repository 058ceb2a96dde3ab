//! Arguments whose type is checked where their name is known.

use std::borrow::Cow;
use std::path::PathBuf;

use leafid_core::Code;
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::values::errors;

/// An argument of a type, or the name of the type that it has instead.
pub struct Typed<T>(Result<T, String>);

/// A text.
pub type Text = Typed<String>;
/// The path of a file: what `os.fspath` gives, as the system holds it.
pub type FilePath = Typed<PathBuf>;
/// A length of time, in s.
pub type Seconds = Typed<f64>;

impl<T> Typed<T> {
    /// A default.
    pub const fn new(value: T) -> Typed<T> {
        Typed(Ok(value))
    }

    fn named(self, what: &str, wanted: &str) -> PyResult<T> {
        self.0.map_err(|kind| {
            errors::wrong_type(format!("`{what}` must be {wanted}, got a `{kind}`"))
        })
    }
}

impl Text {
    /// The text.
    ///
    /// # Errors
    /// `TypeError` that names the argument.
    pub fn text(self, what: &str) -> PyResult<String> {
        self.named(what, "a `str`")
    }
}

impl FilePath {
    /// The path.
    ///
    /// # Errors
    /// `TypeError` that names the argument.
    pub fn path(self, what: &str) -> PyResult<PathBuf> {
        self.named(what, "the path of a file")
    }
}

impl Seconds {
    /// The seconds.
    ///
    /// # Errors
    /// `TypeError` that names the argument.
    pub fn seconds(self, what: &str) -> PyResult<f64> {
        self.named(what, "a number of seconds")
    }
}

/// A text that is known to be one.
///
/// # Errors
/// `REQUEST_INVALID` for halves of characters.
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

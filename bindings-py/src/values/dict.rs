//! Reads and writes asks, grants and rows as plain dicts.

use leafid::Error;
use leafid_bindings::{Object, Reading, Source, Value, Writing, Wrong};
use leafid_core::{Code, Refusal};
use leafid_wire::{Fields, Subject};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};

use crate::values::{PyLayout, errors};

/// A dict whose fields are read and written.
pub struct Dict<'py> {
    dict: Bound<'py, PyDict>,
    /// Why a field could not be written.
    broken: Option<PyErr>,
}

impl<'py> Object for Dict<'py> {
    fn get(&self, field: &'static str) -> Value<'static, Self> {
        match self.dict.get_item(field) {
            Ok(None) => Value::Absent,
            Ok(Some(value)) => read_value(&value).unwrap_or(Value::Other),
            Err(_) => Value::Other,
        }
    }

    fn set(&mut self, field: &'static str, value: Value<'_, Self>) {
        let set = match value {
            Value::Absent | Value::Other => return,
            Value::Flag(flag) => self.dict.set_item(field, flag),
            // Fields of this kind are whole numbers that fit into a double.
            Value::Number(number) => self.dict.set_item(field, number as i64),
            Value::Big(big) => self.dict.set_item(field, big),
            Value::Moment(ms) => self.dict.set_item(field, ms),
            Value::Text(text) => self.dict.set_item(field, text),
            Value::Owned(text) => self.dict.set_item(field, text),
            Value::Object(inner) => {
                inner.broken.map_or_else(|| self.dict.set_item(field, inner.dict), Err)
            }
        };
        self.broken = self.broken.take().or(set.err());
    }

    fn empty(&self) -> Option<Self> {
        Some(Dict::new(PyDict::new(self.dict.py())))
    }
}

impl<'py> Dict<'py> {
    fn new(dict: Bound<'py, PyDict>) -> Dict<'py> {
        Dict { dict, broken: None }
    }
}

/// Reads a value. Whole numbers are `int`s: neither `True` nor `1.0`.
fn read_value<'py>(value: &Bound<'py, PyAny>) -> PyResult<Value<'static, Dict<'py>>> {
    Ok(if value.is_none() {
        Value::Absent
    } else if let Ok(flag) = value.cast::<PyBool>() {
        Value::Flag(flag.is_true())
    } else if let Ok(number) = value.cast::<PyInt>() {
        match number.extract() {
            Ok(number) => Value::Moment(number),
            Err(_) => Value::Big(number.extract()?),
        }
    } else if let Ok(text) = value.cast::<PyString>() {
        Value::Owned(text.extract()?)
    } else if let Ok(layout) = value.cast::<PyLayout>() {
        Value::Object(Dict::new(layout.get().fields(value.py())?))
    } else {
        value.cast::<PyDict>().map_or(Value::Other, |dict| Value::Object(Dict::new(dict.clone())))
    })
}

/// Writes fields to a new dict.
pub fn written<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut Writing<Dict<'py>>),
) -> PyResult<Bound<'py, PyDict>> {
    let mut writing = Writing(Dict::new(PyDict::new(py)));
    write(&mut writing);
    writing.0.broken.map_or(Ok(writing.0.dict), Err)
}

/// Reads fields from a dict; `what` names the dict in the error.
pub fn read<T: Fields>(value: &Bound<'_, PyAny>, what: &str) -> PyResult<T> {
    let mut reading = from(value, what)?;
    T::get(&mut reading)
        .map_err(|refusal| errors::of(unread(refusal, reading.field(), value, what)))
}

/// Prepares a dict for reading; `what` names it in the error.
///
/// # Errors
/// `REQUEST_INVALID` for anything else.
pub fn from<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Reading<Dict<'py>>> {
    let Ok(dict) = value.cast::<PyDict>() else {
        let kind = value.get_type().name().map_or("object".to_owned(), |name| name.to_string());
        let message = format!("{what} is a `{kind}`, not a dict");
        return Err(errors::raise(Code::RequestInvalid, message));
    };
    Ok(Reading::new(Dict::new(dict.clone())))
}

/// The error for a wrong value: names the unreadable field, or else the tag or namespace of the ask.
pub fn wrong_ask(wrong: Wrong, ask: &Bound<'_, PyAny>) -> Error {
    let Wrong { field, of, refusal } = wrong;
    if !field.is_empty() {
        let message = format!("`{field}` of the {of} is missing or not valid");
        return Error::new(refusal.code, message);
    }
    let named = |kind| ask.get_item(kind).and_then(|name| name.extract::<String>());
    match (named("tag"), named("namespace")) {
        (Ok(tag), _) => Error::about(refusal, Subject::Tag(&tag)),
        (_, Ok(namespace)) => Error::about(refusal, Subject::Namespace(&namespace)),
        _ => Error::about(refusal, Subject::Other("the call")),
    }
}

fn unread(refusal: Refusal, field: &str, of: &Bound<'_, PyAny>, what: &str) -> Error {
    let message = match of.get_item(field) {
        Ok(value) if !value.is_none() => {
            let shown = value.repr().map_or_else(|_| "…".to_owned(), |repr| repr.to_string());
            let shown: String = shown.chars().take(60).collect();
            format!("`{field}` of {what} cannot be `{shown}`")
        }
        _ => format!("`{field}` of {what} is missing"),
    };
    Error::new(refusal.code, message)
}

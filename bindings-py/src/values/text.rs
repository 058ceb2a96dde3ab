//! Text forms of an ID.

use leafid_core::{Code, LINE_END, Refusal, Text};
use leafid_wire::Subject;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::values::{errors, whole_number};

/// 13 characters of Crockford's base32, upper case: they sort as the numbers do.
#[pyfunction]
#[pyo3(signature = (id, /))]
pub fn base32<'py>(id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    shown(Text::base32, id)
}

/// The decimal form, without leading zeros.
#[pyfunction]
#[pyo3(signature = (id, /))]
pub fn decimal<'py>(id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    shown(Text::decimal, id)
}

/// The ID of a base32 form. Strict: 13 characters, upper case, no look-alikes.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn parse_base32(text: &str) -> PyResult<u64> {
    parsed(Text::parse_base32(text), text)
}

/// The ID of a decimal form. Strict: digits only, no leading zero, no sign.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn parse_decimal(text: &str) -> PyResult<u64> {
    parsed(Text::parse_decimal(text), text)
}

fn shown<'py>(
    write: impl FnOnce(u64) -> Result<Text, Refusal>,
    id: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    let (py, id) = (id.py(), whole_number("id", id, 0, LINE_END, Code::IdInvalid)?);
    let text = write(id);
    let text = text.map_err(|no| errors::refuse(no, Subject::Other(&format!("ID `{id}`"))))?;
    Ok(PyString::new(py, text.as_str()))
}

fn parsed(id: Result<u64, Refusal>, text: &str) -> PyResult<u64> {
    id.map_err(|refusal| {
        let shown: String = text.chars().take(40).collect();
        errors::refuse(refusal, Subject::Other(&format!("text `{shown}`")))
    })
}

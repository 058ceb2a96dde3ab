//! Text forms of an ID.

use leafid_core::{Code, LINE_END, Refusal, Text};
use leafid_wire::Subject;
use pyo3::prelude::*;

use crate::values::{errors, whole_number};

/// 13 characters of Crockford's base32, upper case: they sort as the numbers do.
#[pyfunction]
pub fn base32(id: &Bound<'_, PyAny>) -> PyResult<String> {
    shown(Text::base32, id)
}

/// The decimal form, without leading zeros.
#[pyfunction]
pub fn decimal(id: &Bound<'_, PyAny>) -> PyResult<String> {
    shown(Text::decimal, id)
}

/// The ID of a base32 form. Strict: 13 characters, upper case, no look-alikes.
#[pyfunction]
pub fn parse_base32(text: &str) -> PyResult<u64> {
    parsed(Text::parse_base32(text), text)
}

/// The ID of a decimal form. Strict: digits only, no leading zero, no sign.
#[pyfunction]
pub fn parse_decimal(text: &str) -> PyResult<u64> {
    parsed(Text::parse_decimal(text), text)
}

fn shown(
    write: impl FnOnce(u64) -> Result<Text, Refusal>,
    id: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let id = whole_number("id", id, 0, LINE_END, Code::IdInvalid)?;
    let text = write(id);
    let text = text.map_err(|no| errors::refuse(no, Subject::Other(&format!("ID `{id}`"))))?;
    Ok(text.as_str().to_owned())
}

fn parsed(id: Result<u64, Refusal>, text: &str) -> PyResult<u64> {
    id.map_err(|refusal| {
        let shown: String = text.chars().take(40).collect();
        errors::refuse(refusal, Subject::Other(&format!("text `{shown}`")))
    })
}

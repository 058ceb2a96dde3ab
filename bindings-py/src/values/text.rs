//! Text forms of an ID.

use leafid_core::{Refusal, Text};
use pyo3::prelude::*;

use crate::values::errors;

/// 13 characters of Crockford's base32, upper case: they sort as the numbers do.
#[pyfunction]
pub fn base32(id: u64) -> PyResult<String> {
    shown(Text::base32(id), id)
}

/// The decimal form, without leading zeros.
#[pyfunction]
pub fn decimal(id: u64) -> PyResult<String> {
    shown(Text::decimal(id), id)
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

fn shown(text: Result<Text, Refusal>, id: u64) -> PyResult<String> {
    text.map(|text| text.as_str().to_owned())
        .map_err(|refusal| errors::refuse(refusal, &format!("id `{id}`")))
}

fn parsed(id: Result<u64, Refusal>, text: &str) -> PyResult<u64> {
    id.map_err(|refusal| {
        let shown: String = text.chars().take(40).collect();
        errors::refuse(refusal, &format!("text `{shown}`"))
    })
}

//! Text forms of an ID.

use alloc::borrow::ToOwned;
use alloc::string::String;

use leafid_core::{Refusal, Text};

/// The decimal form.
///
/// # Errors
/// `ID_INVALID`.
pub fn to_decimal(id: u64) -> Result<String, Refusal> {
    Text::decimal(id).map(|text| text.as_str().to_owned())
}

/// 13 characters that sort like the numbers.
///
/// # Errors
/// `ID_INVALID`.
pub fn to_base32(id: u64) -> Result<String, Refusal> {
    Text::base32(id).map(|text| text.as_str().to_owned())
}

/// Reads a decimal form.
///
/// # Errors
/// `ID_INVALID`.
pub fn from_decimal(text: &str) -> Result<u64, Refusal> {
    Text::parse_decimal(text)
}

/// Reads a base32 form.
///
/// # Errors
/// `ID_INVALID`.
pub fn from_base32(text: &str) -> Result<u64, Refusal> {
    Text::parse_base32(text)
}

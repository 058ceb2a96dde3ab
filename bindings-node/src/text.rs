//! Text forms of an ID: `null` for what is none.

use leafid_core::Text;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

use crate::object::bits;

/// The decimal form.
#[napi]
pub fn to_decimal(id: BigInt) -> Option<String> {
    bits(&id).and_then(|id| Text::decimal(id).ok()).map(|text| text.as_str().to_owned())
}

/// 13 characters that sort as the numbers do.
#[napi]
pub fn to_base32(id: BigInt) -> Option<String> {
    bits(&id).and_then(|id| Text::base32(id).ok()).map(|text| text.as_str().to_owned())
}

/// The ID of a decimal form.
#[napi]
pub fn from_decimal(text: String) -> Option<BigInt> {
    Text::parse_decimal(&text).ok().map(BigInt::from)
}

/// The ID of a base32 form.
#[napi]
pub fn from_base32(text: String) -> Option<BigInt> {
    Text::parse_base32(&text).ok().map(BigInt::from)
}

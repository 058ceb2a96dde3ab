//! Text forms of an ID: `undefined` for what is none.

use leafid_core::Text;
use wasm_bindgen::prelude::wasm_bindgen;

/// The decimal form.
#[wasm_bindgen(js_name = toDecimal)]
pub fn to_decimal(id: u64) -> Option<String> {
    Text::decimal(id).ok().map(|text| text.as_str().to_owned())
}

/// 13 characters that sort as the numbers do.
#[wasm_bindgen(js_name = toBase32)]
pub fn to_base32(id: u64) -> Option<String> {
    Text::base32(id).ok().map(|text| text.as_str().to_owned())
}

/// The ID of a decimal form.
#[wasm_bindgen(js_name = fromDecimal)]
pub fn from_decimal(text: &str) -> Option<u64> {
    Text::parse_decimal(text).ok()
}

/// The ID of a base32 form.
#[wasm_bindgen(js_name = fromBase32)]
pub fn from_base32(text: &str) -> Option<u64> {
    Text::parse_base32(text).ok()
}

//! The interface `text`.

use leafid_bindings::text;

use crate::Component;
use crate::bindings::exports::leafid::generator::text::Guest;
use crate::bindings::leafid::generator::types::Refusal;
use crate::values::refused;

impl Guest for Component {
    fn to_decimal(id: u64) -> Result<String, Refusal> {
        text::to_decimal(id).map_err(refused)
    }

    fn parse_decimal(text: String) -> Result<u64, Refusal> {
        text::from_decimal(&text).map_err(refused)
    }

    fn to_base32(id: u64) -> Result<String, Refusal> {
        text::to_base32(id).map_err(refused)
    }

    fn parse_base32(text: String) -> Result<u64, Refusal> {
        text::from_base32(&text).map_err(refused)
    }
}

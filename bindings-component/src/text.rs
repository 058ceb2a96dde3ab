//! The interface `text`.

use leafid_bindings::text;

use crate::Component;
use crate::bindings::exports::leafid::generator::text::Guest;
use crate::bindings::leafid::generator::types::Refusal;

impl Guest for Component {
    fn to_decimal(id: u64) -> Result<String, Refusal> {
        Ok(text::to_decimal(id)?)
    }

    fn parse_decimal(text: String) -> Result<u64, Refusal> {
        Ok(text::from_decimal(&text)?)
    }

    fn to_base32(id: u64) -> Result<String, Refusal> {
        Ok(text::to_base32(id)?)
    }

    fn parse_base32(text: String) -> Result<u64, Refusal> {
        Ok(text::from_base32(&text)?)
    }
}

//! The interface `text`.

use leafid_core::Text;

use crate::Component;
use crate::bindings::exports::leafid::generator::text::Guest;
use crate::bindings::leafid::generator::types::Refusal;

impl Guest for Component {
    fn to_decimal(id: u64) -> Result<String, Refusal> {
        Ok(Text::decimal(id)?.as_str().to_owned())
    }

    fn parse_decimal(text: String) -> Result<u64, Refusal> {
        Ok(Text::parse_decimal(&text)?)
    }

    fn to_base32(id: u64) -> Result<String, Refusal> {
        Ok(Text::base32(id)?.as_str().to_owned())
    }

    fn parse_base32(text: String) -> Result<u64, Refusal> {
        Ok(Text::parse_base32(&text)?)
    }
}

//! What a step says, and what it gave: JSON, by the wire's own reader and writer.

use leafid_core::{HostTime, Refusal, StoreTime, Token};
use leafid_wire::{Fields, Reader, Writer};
use serde_json::{Value, json};

/// The object of something with fields.
pub fn object(write: impl FnOnce(&mut Writer)) -> Value {
    leafid_wire::tree(write)
}

pub fn read<T: Fields>(from: &Value) -> Result<T, Refusal> {
    T::get(&mut open(from))
}

/// A JSON object to read fields from.
pub fn open(from: &Value) -> Reader {
    Reader::new(from.as_object().cloned().unwrap_or_default())
}

/// A refusal as the vectors write it.
pub fn refused<T: Into<i64>>(refusal: Refusal<T>) -> Value {
    match refusal.until {
        Some(until) => json!({ "code": refusal.code.as_str(), "until": until.into().to_string() }),
        None => json!({ "code": refusal.code.as_str() }),
    }
}

/// What was given, or the refusal.
pub fn either<G, T: Into<i64>>(
    result: Result<G, Refusal<T>>,
    shown: impl FnOnce(G) -> Value,
) -> Value {
    result.map_or_else(refused, shown)
}

pub fn text<'s>(step: &'s Value, field: &str) -> Result<&'s str, String> {
    step[field].as_str().ok_or_else(|| format!("`{field}` is no text"))
}

/// A decimal text of a step.
pub fn number<T: std::str::FromStr>(step: &Value, field: &str) -> Result<T, String> {
    text(step, field)?.parse().map_err(|_| format!("`{field}` is no number of its size"))
}

/// A reading of the host's clock in a step.
pub fn host_time(step: &Value, field: &str) -> Result<HostTime, String> {
    number(step, field).map(HostTime::new)
}

/// A moment of the store in a step.
pub fn store_time(step: &Value, field: &str) -> Result<StoreTime, String> {
    number(step, field).map(StoreTime::new)
}

pub fn token(step: &Value, field: &str) -> Result<Token, String> {
    Token::parse(text(step, field)?).map_err(|refusal| refusal.to_string())
}

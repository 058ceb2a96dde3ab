//! Reads steps and writes results as JSON, by the wire's own reader and writer.

use leafid_core::{HostTime, Refusal, StoreTime, Token};
use leafid_wire::{Fields, Reader, Writer};
use serde_json::{Value, json};

/// Writes fields as a JSON object.
pub fn object(write: impl FnOnce(&mut Writer)) -> Value {
    leafid_wire::tree(write)
}

pub fn read<T: Fields>(from: &Value) -> Result<T, Refusal> {
    T::get(&mut open(from))
}

/// Opens a JSON object to read its fields.
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

/// A result as the vectors write it: the value, or the refusal.
pub fn either<G, T: Into<i64>>(
    result: Result<G, Refusal<T>>,
    shown: impl FnOnce(G) -> Value,
) -> Value {
    result.map_or_else(refused, shown)
}

pub fn text<'s>(step: &'s Value, field: &str) -> Result<&'s str, String> {
    step[field].as_str().ok_or_else(|| format!("`{field}` is no text"))
}

/// Reads a decimal text of a step.
pub fn number<T: std::str::FromStr>(step: &Value, field: &str) -> Result<T, String> {
    text(step, field)?.parse().map_err(|_| format!("`{field}` is no number of its size"))
}

pub fn host_time(step: &Value, field: &str) -> Result<HostTime, String> {
    number(step, field).map(HostTime::new)
}

pub fn store_time(step: &Value, field: &str) -> Result<StoreTime, String> {
    number(step, field).map(StoreTime::new)
}

pub fn token(step: &Value, field: &str) -> Result<Token, String> {
    Token::parse(text(step, field)?).map_err(|refusal| refusal.to_string())
}

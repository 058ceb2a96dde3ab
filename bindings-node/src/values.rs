//! Layouts, text forms and the error table.

use leafid_bindings::{codes, layouts, text};
use napi::bindgen_prelude::{BigInt, Env, Object};
use napi_derive::napi;

use crate::object::{Given, Maybe, answer, bits, env, from, maybe, millis};

/// The fields of a layout, and the figures that follow from them. Every `layout` here is
/// `{ layout }`: the five fields, or a preset's name.
#[napi(ts_return_type = "object")]
pub fn layout_facts<'e>(layout: Object<'e>) -> Given<'e> {
    answer(&env(&layout), layouts::facts(from(layout)))
}

/// `{ id }` of a time, a worker and a sequence number.
#[napi(ts_return_type = "object")]
pub fn compose<'e>(layout: Object<'e>, time: BigInt, worker: u32, sequence: BigInt) -> Given<'e> {
    answer(&env(&layout), layouts::compose(from(layout), millis(&time), worker, bits(&sequence)))
}

/// The parts of an ID.
#[napi(ts_return_type = "object")]
pub fn decompose<'e>(layout: Object<'e>, whole: BigInt) -> Given<'e> {
    answer(&env(&layout), layouts::decompose(from(layout), bits(&whole)))
}

/// `{ id }`: the smallest of a time.
#[napi(ts_return_type = "object")]
pub fn first_id<'e>(layout: Object<'e>, time_ms: BigInt) -> Given<'e> {
    answer(&env(&layout), layouts::first_id(from(layout), millis(&time_ms)))
}

/// `{ id }`: the largest of a time.
#[napi(ts_return_type = "object")]
pub fn last_id<'e>(layout: Object<'e>, time_ms: BigInt) -> Given<'e> {
    answer(&env(&layout), layouts::last_id(from(layout), millis(&time_ms)))
}

/// The decimal form; `null` if this is no ID, as for the forms below.
#[napi]
pub fn to_decimal(id: BigInt) -> Option<String> {
    text::to_decimal(bits(&id)).ok()
}

/// 13 characters that sort like the numbers.
#[napi]
pub fn to_base32(id: BigInt) -> Option<String> {
    text::to_base32(bits(&id)).ok()
}

/// The ID of a decimal form.
#[napi]
pub fn from_decimal(text: String) -> Option<u64> {
    text::from_decimal(&text).ok()
}

/// The ID of a base32 form.
#[napi]
pub fn from_base32(text: String) -> Option<u64> {
    text::from_base32(&text).ok()
}

/// Every code, in the order of the table.
#[napi]
pub fn codes() -> Vec<&'static str> {
    codes::names().collect()
}

/// The code for an HTTP answer without one.
#[napi]
pub fn code_from_http(status: u16) -> &'static str {
    codes::from_http(status)
}

/// A refusal in words: what happened to the `tag` or `namespace` of this name, and what to do; of
/// any other kind, `name` is the subject of the sentence.
#[napi]
pub fn sentence(
    code: String,
    kind: String,
    name: String,
    most: Option<f64>,
    wait_ms: Option<f64>,
) -> String {
    codes::sentence(&code, &kind, &name, most.map(|n| n as u64), wait_ms.map(|ms| ms as u64))
}

/// What a code means: `{ http, permanent, stops, advice }`, or `null` if there is no such code.
#[napi(ts_return_type = "object | null")]
pub fn code_facts<'e>(env: &'e Env, code: String) -> Maybe<'e> {
    maybe(env, codes::facts(&code))
}

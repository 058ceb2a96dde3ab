//! Layouts, text forms and the error table.

use js_sys::Object;
use leafid_bindings::{codes, layouts, text};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object::{answer, from};

/// The fields of a layout, and what follows from them. Every `layout` here is `{ layout }`: the
/// five fields, or a preset's name.
#[wasm_bindgen(js_name = layoutFacts)]
pub fn layout_facts(layout: Object) -> Object {
    answer(layouts::facts(from(layout)))
}

/// `{ id }` of a moment, a worker and a sequence number.
#[wasm_bindgen]
pub fn compose(layout: Object, time_ms: i64, worker: u32, sequence: u64) -> Object {
    answer(layouts::compose(from(layout), time_ms, worker, sequence))
}

/// The parts of an ID.
#[wasm_bindgen]
pub fn decompose(layout: Object, whole: u64) -> Object {
    answer(layouts::decompose(from(layout), whole))
}

/// `{ id }`: the smallest that a moment can have.
#[wasm_bindgen(js_name = firstId)]
pub fn first_id(layout: Object, time_ms: i64) -> Object {
    answer(layouts::first_id(from(layout), time_ms))
}

/// `{ id }`: the largest that a moment can have.
#[wasm_bindgen(js_name = lastId)]
pub fn last_id(layout: Object, time_ms: i64) -> Object {
    answer(layouts::last_id(from(layout), time_ms))
}

/// The decimal form; `undefined` if this is not an ID. So with the forms below.
#[wasm_bindgen(js_name = toDecimal)]
pub fn to_decimal(id: u64) -> Option<String> {
    text::to_decimal(id).ok()
}

/// 13 characters that sort as the numbers do.
#[wasm_bindgen(js_name = toBase32)]
pub fn to_base32(id: u64) -> Option<String> {
    text::to_base32(id).ok()
}

/// The ID of a decimal form.
#[wasm_bindgen(js_name = fromDecimal)]
pub fn from_decimal(text: &str) -> Option<u64> {
    text::from_decimal(text).ok()
}

/// The ID of a base32 form.
#[wasm_bindgen(js_name = fromBase32)]
pub fn from_base32(text: &str) -> Option<u64> {
    text::from_base32(text).ok()
}

/// Every code, in the order of the table.
#[wasm_bindgen]
pub fn codes() -> Vec<String> {
    codes::names().map(str::to_owned).collect()
}

/// The code for an HTTP answer without one.
#[wasm_bindgen(js_name = codeFromHttp)]
pub fn code_from_http(status: u16) -> String {
    codes::from_http(status).to_owned()
}

/// A refusal in words: what happened to the `tag` or `namespace` of this name, and what to do; of
/// any other kind, `name` is the subject of the sentence.
#[wasm_bindgen]
pub fn sentence(
    code: &str,
    kind: &str,
    name: &str,
    most: Option<f64>,
    wait_ms: Option<f64>,
) -> String {
    codes::sentence(code, kind, name, most.map(|n| n as u64), wait_ms.map(|ms| ms as u64))
}

/// What a code means: `{ http, permanent, stops, advice }`, or `undefined` if there is no such code.
#[wasm_bindgen(js_name = codeFacts)]
pub fn code_facts(code: &str) -> Option<Object> {
    codes::facts(code).map(|facts| answer(Ok(facts)))
}

//! The error table.

use js_sys::Object;
use leafid_core::{Code, FieldWriter};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object;

/// Every code, in the order of the table.
#[wasm_bindgen]
pub fn codes() -> Vec<String> {
    Code::ALL.iter().map(|code| code.as_str().to_owned()).collect()
}

/// What a code means: `{ http, permanent, stops, advice }`, or `undefined` if there is none.
#[wasm_bindgen(js_name = codeFacts)]
pub fn code_facts(code: &str) -> Option<Object> {
    let written = |code: Code| {
        object::written(|to| {
            code.http_status().inspect(|status| to.number("http", u64::from(*status)));
            to.flag("permanent", code.is_permanent());
            to.flag("stops", code.stops());
            to.text("advice", code.advice());
        })
    };
    Code::parse(code).map(written)
}

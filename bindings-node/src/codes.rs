//! The error table.

use leafid_core::{Code, FieldWriter};
use napi::Result;
use napi::bindgen_prelude::{Env, Object};
use napi_derive::napi;

use crate::object;

/// Every code, in the order of the table.
#[napi]
pub fn codes() -> Vec<&'static str> {
    Code::ALL.iter().map(|code| code.as_str()).collect()
}

/// What a code means: `{ http, permanent, stops, advice }`, or `null` if there is none.
#[napi]
pub fn code_facts<'env>(env: &'env Env, code: String) -> Result<Option<Object<'env>>> {
    let written = |code: Code| {
        object::written(env, |to| {
            code.http_status().inspect(|status| to.number("http", u64::from(*status)));
            to.flag("permanent", code.is_permanent());
            to.flag("stops", code.stops());
            to.text("advice", code.advice());
        })
    };
    Code::parse(&code).map(written).transpose()
}

//! The engine of leafid for workers and browsers: plain functions over a handle, the same as the
//! native engine's. What they do stands in `leafid_bindings`; these are their names.
//!
//! No function throws for what the core refuses: a refusal is the plain object `{ code, until }`.

pub mod generators;
pub mod object;
pub mod registry;
pub mod values;

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of this engine, compared with the package's own when it is loaded.
#[wasm_bindgen(js_name = engineVersion)]
#[must_use]
pub fn engine_version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

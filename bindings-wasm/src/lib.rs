//! The engine of leafid for workers and browsers.

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of this engine, compared with the package's own when it is loaded.
#[wasm_bindgen(js_name = engineVersion)]
#[must_use]
pub fn engine_version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

//! The engine of leafid for Node: plain functions over a handle, the same as the wasm engine's.
//!
//! No function raises for what the core refuses: a refusal is the plain object `{ code, until }`.

pub mod codes;
pub mod generator;
pub mod layout;
pub mod object;
pub mod registry;
pub mod table;
pub mod text;
pub mod verbs;

use napi_derive::napi;

/// The version of this engine, compared with the package's own when it is loaded.
#[napi]
pub fn engine_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

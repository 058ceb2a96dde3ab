//! The engine of leafid for Node: plain functions over a handle, the same as the wasm engine's, which
//! `leafid_bindings` implements.
//!
//! No function throws when the core refuses: a refusal is the plain object `{ code, until }`.

pub mod generators;
pub mod object;
pub mod quick;
pub mod state;
pub mod values;

use leafid_bindings::Handles;
use napi_derive::napi;

thread_local! {
    /// The generators of this thread; each worker thread has its own.
    static HANDLES: Handles = const { Handles::new() };
}

/// The version of this engine, compared with the package's own when it is loaded.
#[napi]
pub fn engine_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

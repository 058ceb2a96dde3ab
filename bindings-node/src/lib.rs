//! The engine of leafid for Node: plain functions over a handle, the same as the wasm engine's.
//! What they do stands in `leafid_bindings`; these are their names.
//!
//! No function throws for what the core refuses: a refusal is the plain object `{ code, until }`.

pub mod generators;
pub mod object;
pub mod quick;
pub mod state;
pub mod values;

use leafid_bindings::Handles;
use napi_derive::napi;

thread_local! {
    /// The generators of this thread: those of another worker thread are its own.
    static HANDLES: Handles = const { Handles::new() };
}

/// The version of this engine, compared with the package's own when it is loaded.
#[napi]
pub fn engine_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

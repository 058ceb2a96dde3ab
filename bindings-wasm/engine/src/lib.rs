//! The engine of leafid for workers and browsers: plain functions over a handle, the same as the
//! native engine's. What they do stands in `leafid_bindings`; these are their names.
//!
//! No function throws for what the core refuses: a refusal is the plain object `{ code, until }`. How
//! objects and texts cross is `leafid_wasm_border`'s to say.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "the host knows each function by its name")]

pub mod generators;
pub mod values;

use leafid_core::HostTime;
use leafid_wasm_border::tell_text;

/// A moment on the host's clock.
fn host(ms: f64) -> HostTime {
    HostTime::new(ms as i64)
}

/// A number that may be absent, which crosses as NaN.
fn known(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

/// Tells the version of this engine, compared with the package's own when it is loaded.
#[unsafe(export_name = "engineVersion")]
pub extern "C" fn engine_version() {
    tell_text(env!("CARGO_PKG_VERSION"));
}

//! The engine of leafid for workers and browsers: plain functions over a handle, the same as the
//! native engine's, which `leafid_bindings` implements.
//!
//! No function throws when the core refuses: a refusal is the plain object `{ code, until }`.
//! `leafid_wasm_border` passes objects and texts.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "the host knows each function by its name")]

pub mod generators;
pub mod values;

use leafid_core::HostTime;
use leafid_wasm_border::tell_text;

/// A time on the host's clock.
fn host(ms: f64) -> HostTime {
    HostTime::new(ms as i64)
}

/// A number that may be absent, which is passed as NaN.
fn known(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

/// Tells the version of this engine, compared with the package's own when it is loaded.
#[unsafe(export_name = "engineVersion")]
pub extern "C" fn engine_version() {
    tell_text(env!("CARGO_PKG_VERSION"));
}

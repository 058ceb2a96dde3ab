//! The engine of leafid in JavaScript: plain functions over a handle, which `leafid_bindings` implements.
//!
//! No function throws when the core refuses: a refusal is the plain object `{ code, until }`.
//! `leafid_wasm_border` passes objects and texts.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "the host knows each function by its name")]

pub mod draw;
pub mod generators;
#[cfg(feature = "state")]
pub mod state;
pub mod values;

use leafid_core::HostTime;

/// A time on the host's clock.
fn host(ms: f64) -> HostTime {
    HostTime::new(ms as i64)
}

/// A number that may be absent, which is passed as NaN.
fn known(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

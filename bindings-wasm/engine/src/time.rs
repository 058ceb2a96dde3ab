//! Times as JavaScript has them.

use leafid_core::HostTime;

/// A moment on the host's clock.
pub fn host(ms: f64) -> HostTime {
    HostTime::new(ms as i64)
}

/// A number that may be absent, which crosses as NaN.
pub fn known(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

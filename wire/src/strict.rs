//! Strict reading of numbers, the same in every host.

use leafid_core::{Code, Refusal};

/// The largest number that every language holds exactly: 2^53 - 1.
pub const EXACT: u64 = (1 << 53) - 1;

/// Reads a 64-bit number in decimal: digits only, no sign, no leading zero.
///
/// # Errors
/// `REQUEST_INVALID`.
///
/// ```
/// use leafid_wire::strict;
/// assert_eq!(strict::decimal("18446744073709551615"), Ok(u64::MAX));
/// for wrong in ["", "007", "+7", "7 ", "18446744073709551616"] {
///     assert!(strict::decimal(wrong).is_err(), "{wrong}");
/// }
/// ```
pub fn decimal(text: &str) -> Result<u64, Refusal> {
    let canonical = text == "0" || !text.starts_with('0');
    if !canonical || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    text.parse().map_err(|_| invalid())
}

/// Checks that a whole number lies within -[`EXACT`] to [`EXACT`].
///
/// # Errors
/// `REQUEST_INVALID`.
pub fn millis(ms: i64) -> Result<i64, Refusal> {
    if ms.unsigned_abs() > EXACT { Err(invalid()) } else { Ok(ms) }
}

/// Reads a double as a whole number from -[`EXACT`] to [`EXACT`].
///
/// # Errors
/// `REQUEST_INVALID` for a fraction, a number that may have been rounded, or NaN.
///
/// ```
/// use leafid_wire::strict;
/// assert_eq!(strict::double(-1.0), Ok(-1));
/// for wrong in [0.5, 9_007_199_254_740_992.0, f64::NAN, f64::INFINITY] {
///     assert!(strict::double(wrong).is_err(), "{wrong}");
/// }
/// ```
pub fn double(number: f64) -> Result<i64, Refusal> {
    let whole = number as i64;
    if whole as f64 == number { millis(whole) } else { Err(invalid()) }
}

fn invalid() -> Refusal {
    Refusal::new(Code::RequestInvalid)
}

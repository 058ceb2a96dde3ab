//! Conversion of arguments that have several forms: times, durations, whole numbers, ranges.

use leafid_core::{Code, Range, StoreTime};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::values::{Seconds, errors};

/// The most characters of a text that a message quotes.
const LONGEST_QUOTE: usize = 100;

/// A moment in a caller's form: whole ms since 1970, or a `datetime`.
#[derive(Clone, Copy)]
pub struct Moment(pub StoreTime);

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Moment> {
        if value.is_instance_of::<PyInt>() {
            return Ok(Moment(StoreTime::new(value.extract::<Nearest>()?.0)));
        }
        if !value.hasattr("timestamp")? {
            let kind = value.get_type().name()?;
            let message = format!("a time is whole ms since 1970 or a `datetime`, got a `{kind}`");
            return Err(PyTypeError::new_err(message));
        }
        let seconds: f64 = value.call_method0("timestamp")?.extract()?;
        // Rounded to a `datetime`'s whole µs first: otherwise the float would lose a ms now and then.
        let micros = (seconds * 1e6).round();
        Ok(Moment(StoreTime::new((micros / 1e3).floor() as i64)))
    }
}

/// A whole number, clamped to 64 bits: beyond them no valid value lies anyway.
pub struct Nearest(pub i64);

impl<'py> FromPyObject<'_, 'py> for Nearest {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Nearest> {
        match value.extract::<i64>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
                Ok(Nearest(if value.lt(0)? { i64::MIN } else { i64::MAX }))
            }
            number => number.map(Nearest),
        }
    }
}

/// A store's time, in ms since 1970.
pub struct Now(pub i64);

impl<'py> FromPyObject<'_, 'py> for Now {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Now> {
        match value.extract::<Nearest>()?.0 {
            i64::MIN | i64::MAX => {
                let message = "`now_ms` must be ms since 1970, as 64 bits hold them";
                Err(errors::raise(Code::RequestInvalid, message))
            }
            ms => Ok(Now(ms)),
        }
    }
}

/// Checks a whole number from `least` to `most`.
///
/// # Errors
/// `code` for any other whole number; `TypeError` for anything else.
pub fn whole_number(
    what: &str,
    value: &Bound<'_, PyAny>,
    least: u64,
    most: u64,
    code: Code,
) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => {
            let kind = value.get_type().name()?;
            let message = format!("`{what}` must be an `int`, got a `{kind}`");
            Err(errors::wrong_type(message))
        }
        _ => {
            let message = format!("`{what}` must be {least} to {most}, got `{value}`");
            Err(errors::raise(code, message))
        }
    }
}

/// Checks a range of worker numbers: the first, and one more than the last.
///
/// # Errors
/// `WORKER_INVALID`.
pub fn worker_range(workers: &Bound<'_, PyAny>, may_be_empty: bool) -> PyResult<Range> {
    let pair: PyResult<(u32, u64)> = workers.extract();
    let range = pair.map(|(start, end)| Range::new(start.into(), end)).ok();
    range.filter(|range| may_be_empty || !range.is_empty()).ok_or_else(|| {
        let got = workers.repr().map(|text| text.to_string()).unwrap_or_default();
        let message = format!(
            "`workers` must be the first worker number and one more than the last, such as \
             `(0, 512)`, got {}",
            cut(&got)
        );
        errors::raise(Code::WorkerInvalid, message)
    })
}

/// Checks a time-out, in s.
///
/// # Errors
/// `REQUEST_INVALID` below 0, or for NaN; `TypeError` for anything but seconds.
pub fn checked_timeout(timeout: Seconds) -> PyResult<f64> {
    let timeout = timeout.get("timeout")?;
    if timeout.is_nan() || timeout < 0.0 {
        let message = format!("`timeout` must be 0 or more seconds, got `{timeout}`");
        return Err(errors::raise(Code::RequestInvalid, message));
    }
    Ok(timeout)
}

/// Converts a duration in s to whole ms.
///
/// # Errors
/// `REQUEST_INVALID` below 0, or for more than 49 days; `TypeError` for anything but seconds.
pub fn whole_ms(what: &str, seconds: Seconds) -> PyResult<u32> {
    let seconds = seconds.get(what)?;
    let ms = (seconds * 1_000.0).round();
    if (0.0..=f64::from(u32::MAX)).contains(&ms) {
        return Ok(ms as u32);
    }
    let most = u32::MAX / 1_000;
    let message = format!("`{what}` must be 0 to {most} seconds, got `{seconds}`");
    Err(errors::raise(Code::RequestInvalid, message))
}

/// Quotes a text for a message: a long one is cut, and its length added.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("`{}…` of {} bytes", &text[..end], text.len()),
        None => format!("`{text}`"),
    }
}

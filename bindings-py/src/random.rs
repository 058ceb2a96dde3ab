//! Randomness of the operating system: nothing of it is kept, so a forked child draws its own.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// 16 random bytes: a request id, a store's id.
///
/// # Errors
/// `OSError` if the system has none.
pub fn entropy() -> PyResult<[u8; 16]> {
    draw().map_err(|error| PyOSError::new_err(format!("the system gives no randomness: {error}")))
}

/// 64 random bits: a generator's seed.
///
/// # Errors
/// `OSError` if the system has none.
pub fn seed() -> PyResult<u64> {
    let [a, b, c, d, e, f, g, h, ..] = entropy()?;
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

/// As [`entropy`], for threads that know no interpreter.
///
/// # Errors
/// The system's.
pub fn draw() -> Result<[u8; 16], getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

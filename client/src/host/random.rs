//! Randomness from the operating system, never buffered, so that a forked child draws its own.

use leafid_core::Code;

use crate::Error;

/// 16 random bytes: a request id, a store's id.
///
/// # Errors
/// `INTERNAL` where the system gives none.
pub fn entropy() -> Result<[u8; 16], Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::new(Code::Internal, format!("the system gives no randomness: {error}"))
    })?;
    Ok(bytes)
}

/// 64 random bits: a generator's seed.
///
/// # Errors
/// As [`entropy`].
pub fn seed() -> Result<u64, Error> {
    let [a, b, c, d, e, f, g, h, ..] = entropy()?;
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

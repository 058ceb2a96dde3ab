//! Randomness from the operating system, never buffered, so that a forked child draws its own.

use std::io;

/// 16 random bytes: a request id, a store's id.
pub fn entropy() -> io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| io::Error::other(format!("the system gives no randomness: {error}")))?;
    Ok(bytes)
}

/// 64 random bits: a generator's seed.
pub fn seed() -> io::Result<u64> {
    let [a, b, c, d, e, f, g, h, ..] = entropy()?;
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

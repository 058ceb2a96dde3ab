//! Tokens: 256 random bits that only their bearer knows. Only their SHA-256 is kept.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use leafid_store::problem::Problem;
use leafid_store::random;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// The prefix of every token, by which scanners for leaked secrets recognise it.
const PREFIX: &str = "leafid_";

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub struct Hash([u8; 32]);

/// A new token, to be shown once.
pub fn fresh() -> Result<String, Problem> {
    let bits: [u8; 32] = random::bytes()?;
    Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bits)))
}

impl Hash {
    pub fn of(token: &str) -> Hash {
        Hash(Sha256::digest(token.as_bytes()).into())
    }

    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Compares in constant time.
    pub fn matches(&self, other: &Hash) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl TryFrom<String> for Hash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Hash, &'static str> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut hash = [0; 32];
        if text.len() != 2 * hash.len() || !text.bytes().all(is_digit) {
            return Err("`sha256` must be 64 lower-case hex digits");
        }
        for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
            let pair = text.get(at..at + 2).unwrap_or_default();
            *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
        }
        Ok(Hash(hash))
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hash(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_unlike_and_hash_as_the_standard_says() {
        let (one, other) = (fresh().unwrap(), fresh().unwrap());
        assert!(one != other && one.starts_with(PREFIX) && one.len() == PREFIX.len() + 43, "{one}");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Hash::of("abc").hex(), known);
        let parse = |text: &str| Hash::try_from(text.to_owned());
        let read = parse(known).unwrap();
        assert!(bool::from(read.matches(&Hash::of("abc"))));
        assert!(!bool::from(read.matches(&Hash::of("abd"))));
        for wrong in ["", &known[1..], &known.to_uppercase(), &known.replace('b', "g"), "é"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Tokens: 128 random bits that name a request, the key of a lease, or a store.
//!
//! The core generates none: only the host knows when it has fresh randomness (it may fork, sleep or
//! run at a Worker's module scope).

use crate::values::{Code, Refusal};
use core::fmt;

/// 16 bytes of randomness; on the wire 32 lower-case hex digits.
///
/// As a request id it proves that an answer belongs to its ask. As a key (the fencing token of a
/// window) it alone proves the right to a lease, so [`fmt::Debug`] shows only its beginning.
///
/// | as | fresh | its holder |
/// |---|---|---|
/// | request id | for each ask | gets the same answer again (an acquire), and can answer it |
/// | key | with each acquire, as its request id | may renew and release the window |
/// | store id | when a store is made | can tell one store from another |
///
/// Two equal ones would be two holders of one window: use the system's random generator, and reseed
/// after a fork.
///
/// ```
/// use leafid_core::{Code, Token};
/// let token = Token::parse("00ff02030405060708090a0b0c0d0e0f")?;
/// assert_eq!(token.bytes()[..2], [0x00, 0xff]);
/// assert_eq!(token.to_hex(), *b"00ff02030405060708090a0b0c0d0e0f");
/// assert_eq!(format!("{token:?}"), "00ff0203…", "safe to log");
/// // One form only, or a comparison of texts would tell two equal tokens apart.
/// let upper = Token::parse("00FF02030405060708090A0B0C0D0E0F");
/// assert_eq!(upper.unwrap_err().code, Code::RequestInvalid);
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token([u8; 16]);

impl Token {
    /// These 16 bytes.
    pub const fn new(bytes: [u8; 16]) -> Token {
        Token(bytes)
    }

    /// The 16 bytes.
    pub const fn bytes(&self) -> [u8; 16] {
        self.0
    }

    /// Reads a token's text.
    ///
    /// # Errors
    /// `REQUEST_INVALID` if the text is not 32 lower-case hex digits.
    pub fn parse(text: &str) -> Result<Token, Refusal> {
        let invalid = Refusal::new(Code::RequestInvalid);
        if text.len() != 32 {
            return Err(invalid);
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let (Some(high), Some(low)) =
                (pair.first().and_then(digit), pair.get(1).and_then(digit))
            else {
                return Err(invalid);
            };
            *byte = high << 4 | low;
        }
        Ok(Token(bytes))
    }

    /// The 32 lower-case hex digits, as ASCII. They show a key in full: for the wire, not for a log.
    pub fn to_hex(&self) -> [u8; 32] {
        let mut text = [0; 32];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            for (place, nibble) in pair.iter_mut().zip([byte >> 4, byte & 15]) {
                *place = if nibble < 10 { b'0' | nibble } else { (b'a' - 10).wrapping_add(nibble) };
            }
        }
        text
    }
}

fn digit(ascii: &u8) -> Option<u8> {
    match ascii {
        b'0'..=b'9' => Some(ascii & 15),
        b'a'..=b'f' => Some((ascii & 15).wrapping_add(9)),
        _ => None,
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.iter().take(4) {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_logged_whole() {
        extern crate std;
        let shown = std::format!("{:?}", Token::new([0xab; 16]));
        assert_eq!(shown, "abababab…");
    }
}

//! A token as text.

use leafid_core::Token;

/// A token as it is written: 32 hex digits.
pub fn hex(token: Token) -> String {
    String::from_utf8_lossy(&token.to_hex()).into_owned()
}

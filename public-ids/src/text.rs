//! A text with its prefix: `order_7Xk2mPq9RtB`.

use crate::alphabet::TEXT_LEN;
use crate::problem::Problem;

/// Characters of a prefix at most.
pub const PREFIX_MAX: usize = 32;

/// A prefix, or none.
#[derive(Clone, Copy, Default)]
pub struct Prefix {
    bytes: [u8; PREFIX_MAX],
    len: u8,
}

impl Prefix {
    /// Checks a prefix.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but letters, digits and `_`.
    pub fn new(text: &str) -> Result<Prefix, Problem> {
        let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let fine = text.starts_with(|first: char| first.is_ascii_lowercase())
            && !text.ends_with('_')
            && text.bytes().all(is_word);
        let mut prefix = Prefix { bytes: [0; PREFIX_MAX], len: text.len() as u8 };
        match prefix.bytes.get_mut(..text.len()) {
            Some(bytes) if fine => bytes.copy_from_slice(text.as_bytes()),
            _ => return Err(Problem::Prefix),
        }
        Ok(prefix)
    }

    /// The prefix without the `_` after it; empty if there is none.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.bytes.get(..self.len.into()).unwrap_or_default())
            .unwrap_or_default()
    }

    /// A text without its prefix.
    ///
    /// # Errors
    /// `ID_INVALID` if the text does not begin so.
    pub fn strip<'a>(&self, text: &'a str) -> Result<&'a str, Problem> {
        // A prefix may contain `_`, digits do not.
        let (prefix, digits) = text.rsplit_once('_').unwrap_or(("", text));
        let bare = digits.len() == text.len();
        if prefix == self.as_str() && bare == prefix.is_empty() {
            Ok(digits)
        } else {
            Err(Problem::ForeignPrefix)
        }
    }
}

/// A public ID, held inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicText {
    bytes: [u8; PREFIX_MAX + 1 + TEXT_LEN],
    len: u8,
}

impl PublicText {
    pub(crate) fn new(prefix: &Prefix, digits: &[u8; TEXT_LEN]) -> PublicText {
        let mut text = PublicText { bytes: [0; PREFIX_MAX + 1 + TEXT_LEN], len: 0 };
        let prefix = prefix.as_str();
        let between = if prefix.is_empty() { "" } else { "_" };
        let all = prefix.bytes().chain(between.bytes()).chain(digits.iter().copied());
        for (place, byte) in text.bytes.iter_mut().zip(all) {
            *place = byte;
            text.len += 1;
        }
        text
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.bytes.get(..self.len.into()).unwrap_or_default())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString;

    use super::Problem;

    #[test]
    fn a_long_text_is_cut_in_messages() {
        let long = "é".repeat(1_000);
        let wrong = crate::Wrong { problem: Problem::Length(1_000), given: &long, prefix: "" };
        assert!(wrong.to_string().len() < 250);
    }
}

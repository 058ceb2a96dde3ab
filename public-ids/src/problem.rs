//! Errors: a code, and a message that says what to do.

use alloc::format;
use alloc::string::String;
use core::fmt;

use leafid_core::Code;

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `REQUEST_INVALID` for a key or a prefix, `TAG_INVALID`, or `ID_INVALID`.
    pub code: Code,
    /// The message: the given value, and the form it must have.
    pub message: String,
}

impl Problem {
    /// The error of a text that is given; the message goes on after it.
    pub(crate) fn of(code: Code, given: &str, is: fmt::Arguments<'_>) -> Problem {
        const SHOWN: usize = 60;
        let message = match given.char_indices().nth(SHOWN) {
            None => format!("`{given}` {is}"),
            Some((end, _)) => format!("`{}…` {is}", given.get(..end).unwrap_or_default()),
        };
        Problem { code, message }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl core::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_in_messages() {
        let long = "é".repeat(1_000);
        let wrong = Problem::of(Code::IdInvalid, &long, format_args!("is not a public ID"));
        assert!(wrong.message.len() < 250);
    }
}

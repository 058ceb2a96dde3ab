//! Errors, with their codes.

use leafid_core::Code;

/// An error, without the text that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A key of this many bytes.
    KeyLength(usize),
    /// An invalid tag.
    Tag,
    /// An invalid prefix.
    Prefix,
    /// A text with another prefix, or none.
    ForeignPrefix,
    /// A text of this many characters instead of 11.
    Length(usize),
    /// A character that is not a digit of this alphabet.
    Character(char, &'static str),
    /// A text of the right form that is above the largest ID.
    TooLarge,
    /// A number above the largest ID.
    NoId(u64),
}

impl Problem {
    /// Its code.
    pub const fn code(self) -> Code {
        match self {
            Problem::KeyLength(_) | Problem::Prefix => Code::RequestInvalid,
            Problem::Tag => Code::TagInvalid,
            Problem::ForeignPrefix
            | Problem::Length(_)
            | Problem::Character(..)
            | Problem::TooLarge
            | Problem::NoId(_) => Code::IdInvalid,
        }
    }
}

//! What can be wrong, with its code.

use leafid_core::Code;

/// What is wrong, whatever it is wrong with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A key of this many bytes.
    KeyLength(usize),
    /// No tag.
    Tag,
    /// No prefix.
    Prefix,
    /// A text of another prefix, or of none.
    ForeignPrefix,
    /// A text with this many characters where 11 belong.
    Length(usize),
    /// A character that is no digit of the alphabet of this name.
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

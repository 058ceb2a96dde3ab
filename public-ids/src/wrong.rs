//! Errors as messages.

use core::fmt;

use leafid_core::LINE_END;

use crate::alphabet::TEXT_LEN;
use crate::problem::Problem;
use crate::text::PREFIX_MAX;

/// An error with the text that it is about; displayed, it says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong<'a> {
    /// The error.
    pub problem: Problem,
    /// The text, tag or prefix that was given.
    pub given: &'a str,
    /// The prefix that a text was to have.
    pub prefix: &'a str,
}

impl From<Problem> for Wrong<'_> {
    fn from(problem: Problem) -> Self {
        Wrong { problem, given: "", prefix: "" }
    }
}

impl core::error::Error for Wrong<'_> {}

impl fmt::Display for Wrong<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = Cut(self.given);
        match self.problem {
            Problem::KeyLength(got) => {
                write!(to, "the key has {got} bytes: it must be 16 or 32 random bytes")
            }
            Problem::Tag => {
                write!(to, "`{given}` is not a tag: [A-Za-z0-9][A-Za-z0-9._:-]{{0,127}}")
            }
            Problem::Prefix => write!(
                to,
                "`{given}` is not a prefix: 1 to {PREFIX_MAX} of `a-z`, `0-9` and `_`, with a \
                 letter first and no `_` at its end"
            ),
            Problem::ForeignPrefix => match self.prefix {
                "" => write!(to, "`{given}` has a prefix, and none is expected here"),
                prefix => write!(to, "`{given}` does not begin with `{prefix}_`"),
            },
            Problem::Length(count) => write!(
                to,
                "`{given}` is not a public ID: it has {count} characters where {TEXT_LEN} belong"
            ),
            Problem::Character(char, alphabet) => {
                write!(to, "`{given}` is not a public ID: `{char}` is no digit of {alphabet}")
            }
            Problem::TooLarge => {
                write!(to, "`{given}` is not a public ID: it is above the largest there is")
            }
            Problem::NoId(id) => write!(to, "`{id}` is not an ID: they are 0 to {LINE_END}"),
        }
    }
}

/// The first characters of a long text.
struct Cut<'a>(&'a str);

impl fmt::Display for Cut<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        match self.0.char_indices().nth(SHOWN) {
            None => to.write_str(self.0),
            Some((end, _)) => write!(to, "{}…", self.0.get(..end).unwrap_or_default()),
        }
    }
}

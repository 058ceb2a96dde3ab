//! Base58 and base62: always 11 digits, in ASCII's order.

use alloc::format;
use alloc::string::String;

use leafid_core::{Code, LINE_END};

use crate::problem::Problem;

/// Digits of 63 bits in either alphabet.
const TEXT_LEN: usize = 11;

const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The digits of a text. Both need 11 for 63 bits, so base58 costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alphabet {
    /// Bitcoin's: without `0`, `O`, `I` and `l`, which look alike.
    #[default]
    Base58,
    /// `0-9A-Za-z`.
    Base62,
}

impl Alphabet {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Alphabet::Base58 => "base58",
            Alphabet::Base62 => "base62",
        }
    }

    fn digits(self) -> &'static [u8] {
        match self {
            Alphabet::Base58 => BASE58,
            Alphabet::Base62 => BASE62,
        }
    }

    /// The 11 digits of a number; texts sort as the numbers do.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn write(self, id: u64) -> Result<String, Problem> {
        let mut rest = checked(id)?;
        let (digits, base) = (self.digits(), self.digits().len() as u64);
        let mut text = [0; TEXT_LEN];
        for byte in text.iter_mut().rev() {
            *byte = digits.get((rest % base) as usize).copied().unwrap_or_default();
            rest /= base;
        }
        Ok(text.into_iter().map(char::from).collect())
    }

    /// The number of a text of exactly 11 digits: each ID has one text.
    ///
    /// # Errors
    /// `ID_INVALID` for anything that [`write`](Self::write) does not write.
    pub fn read(self, text: &str) -> Result<u64, Problem> {
        self.read_of(text, text)
    }

    /// Reads the digits of a text, which is in the message.
    pub(crate) fn read_of(self, text: &str, digits: &str) -> Result<u64, Problem> {
        let wrong = |is| Problem::of(Code::IdInvalid, text, is);
        let too_large =
            || wrong(format_args!("is not a public ID: it is above the largest there is"));
        let count = digits.chars().count();
        if count != TEXT_LEN {
            return Err(wrong(format_args!(
                "is not a public ID: it has {count} characters where {TEXT_LEN} belong"
            )));
        }
        let (known, base) = (self.digits(), self.digits().len() as u64);
        let mut id: u64 = 0;
        for char in digits.chars() {
            let Some(digit) = known.iter().position(|digit| char::from(*digit) == char) else {
                let name = self.name();
                return Err(wrong(format_args!(
                    "is not a public ID: `{char}` is no digit of {name}"
                )));
            };
            let next = id.checked_mul(base).and_then(|id| id.checked_add(digit as u64));
            id = next.ok_or_else(too_large)?;
        }
        if id > LINE_END { Err(too_large()) } else { Ok(id) }
    }
}

/// Refuses a number that is not an ID.
pub fn checked(id: u64) -> Result<u64, Problem> {
    if id <= LINE_END {
        return Ok(id);
    }
    let message = format!("`{id}` is not an ID: they are 0 to {LINE_END}");
    Err(Problem { code: Code::IdInvalid, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOTH: [Alphabet; 2] = [Alphabet::Base58, Alphabet::Base62];

    #[test]
    fn the_ends_of_the_line() {
        assert_eq!(Alphabet::Base58.write(0).unwrap(), "11111111111");
        assert_eq!(Alphabet::Base62.write(0).unwrap(), "00000000000");
        for alphabet in BOTH {
            assert_eq!(alphabet.read(&alphabet.write(LINE_END).unwrap()), Ok(LINE_END));
            let wrong = alphabet.write(LINE_END + 1).unwrap_err();
            assert!(wrong.message.starts_with("`9223372036854775808` is not an ID"), "{wrong}");
            for (text, word) in [
                ("zzzzzzzzzzz", "above the largest"),
                ("", "it has 0 characters where 11 belong"),
                ("1111111111é", &format!("`é` is no digit of {}", alphabet.name())),
            ] {
                let wrong = alphabet.read(text).unwrap_err();
                assert_eq!(wrong.code, Code::IdInvalid);
                assert!(wrong.message.contains(word), "{wrong}");
            }
        }
        assert!(Alphabet::Base58.read("1111111111l").is_err());
    }

    proptest! {
        #[test]
        fn texts_read_back_and_sort(a in 0..=LINE_END, b in 0..=LINE_END) {
            for alphabet in BOTH {
                let (ta, tb) = (alphabet.write(a).unwrap(), alphabet.write(b).unwrap());
                prop_assert_eq!(alphabet.read(&ta), Ok(a));
                prop_assert_eq!(a.cmp(&b), ta.cmp(&tb));
            }
        }
    }
}

//! Base58 and base62: always 11 digits, in ASCII's order.

use leafid_core::LINE_END;

use crate::problem::Problem;

/// Digits of 63 bits in either alphabet.
pub const TEXT_LEN: usize = 11;

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
    pub fn write(self, id: u64) -> Result<[u8; TEXT_LEN], Problem> {
        let mut rest = checked(id)?;
        let (digits, base) = (self.digits(), self.digits().len() as u64);
        let mut text = [0; TEXT_LEN];
        for byte in text.iter_mut().rev() {
            *byte = digits.get((rest % base) as usize).copied().unwrap_or_default();
            rest /= base;
        }
        Ok(text)
    }

    /// The number of a text of exactly 11 digits: each ID has one text.
    ///
    /// # Errors
    /// `ID_INVALID` for anything that [`write`](Self::write) does not write.
    pub fn read(self, text: &str) -> Result<u64, Problem> {
        let count = text.chars().count();
        if count != TEXT_LEN {
            return Err(Problem::Length(count));
        }
        let (digits, base) = (self.digits(), self.digits().len() as u64);
        let mut id: u64 = 0;
        for char in text.chars() {
            let digit = digits.iter().position(|digit| char::from(*digit) == char);
            let digit = digit.ok_or(Problem::Character(char, self.name()))? as u64;
            let next = id.checked_mul(base).and_then(|id| id.checked_add(digit));
            id = next.ok_or(Problem::TooLarge)?;
        }
        if id > LINE_END { Err(Problem::TooLarge) } else { Ok(id) }
    }
}

/// Refuses a number that is not an ID.
pub fn checked(id: u64) -> Result<u64, Problem> {
    if id > LINE_END { Err(Problem::NoId(id)) } else { Ok(id) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOTH: [Alphabet; 2] = [Alphabet::Base58, Alphabet::Base62];

    #[test]
    fn the_ends_of_the_line() {
        assert_eq!(&Alphabet::Base58.write(0).unwrap(), b"11111111111");
        assert_eq!(&Alphabet::Base62.write(0).unwrap(), b"00000000000");
        for alphabet in BOTH {
            let last = alphabet.write(LINE_END).unwrap();
            let last = core::str::from_utf8(&last).unwrap();
            assert_eq!(alphabet.read(last), Ok(LINE_END));
            assert_eq!(alphabet.write(LINE_END + 1), Err(Problem::NoId(LINE_END + 1)));
            assert_eq!(alphabet.read("zzzzzzzzzzz"), Err(Problem::TooLarge));
            assert_eq!(alphabet.read(""), Err(Problem::Length(0)));
            assert_eq!(alphabet.read("1111111111é"), Err(Problem::Character('é', alphabet.name())));
        }
        assert_eq!(Alphabet::Base58.read("1111111111l"), Err(Problem::Character('l', "base58")));
    }

    proptest! {
        #[test]
        fn texts_read_back_and_sort(a in 0..=LINE_END, b in 0..=LINE_END) {
            for alphabet in BOTH {
                let (ta, tb) = (alphabet.write(a).unwrap(), alphabet.write(b).unwrap());
                prop_assert_eq!(alphabet.read(core::str::from_utf8(&ta).unwrap()), Ok(a));
                prop_assert_eq!(a.cmp(&b), ta.cmp(&tb));
            }
        }
    }
}

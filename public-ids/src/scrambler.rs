//! The scrambler: a key, a tag, and the form of its texts.

use leafid_core::Name;

use crate::alphabet::Alphabet;
use crate::ff1::Cipher;
use crate::problem::Problem;
use crate::text::{Prefix, PublicText};
use crate::wrong::Wrong;

/// Turns the IDs of a tag (or namespace) into public ones, and back.
///
/// The key must not change while texts are in use: under another one they mean other IDs. One key serves all
/// tags, as each tag has a permutation of its own. The key makes every text readable.
pub struct Scrambler {
    cipher: Cipher,
    tag: Name,
    prefix: Prefix,
    alphabet: Alphabet,
}

impl Scrambler {
    /// A scrambler without a prefix, in base58. `key` is 16 or 32 random bytes, for AES-128 or
    /// AES-256.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a key of another length; `TAG_INVALID`.
    pub fn new<'a>(key: &[u8], tag: &'a str) -> Result<Scrambler, Wrong<'a>> {
        let cipher = Cipher::new(key)?;
        let wrong = Wrong { problem: Problem::Tag, given: tag, prefix: "" };
        let tag = Name::tag(tag).map_err(|_| wrong)?;
        Ok(Scrambler { cipher, tag, prefix: Prefix::default(), alphabet: Alphabet::default() })
    }

    /// The same with a prefix that names the kind of ID: `order` for `order_…`. It is not scrambled.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but 1 to 32 of `a-z`, `0-9` and `_`, with a letter first.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Scrambler, Wrong<'_>> {
        let wrong = |problem| Wrong { problem, given: prefix, prefix: "" };
        self.prefix = Prefix::new(prefix).map_err(wrong)?;
        Ok(self)
    }

    /// The same with other digits.
    pub fn with_alphabet(mut self, alphabet: Alphabet) -> Scrambler {
        self.alphabet = alphabet;
        self
    }

    /// The tag.
    pub fn tag(&self) -> &str {
        self.tag.as_str()
    }

    /// The prefix; empty if there is none.
    pub fn prefix(&self) -> &str {
        self.prefix.as_str()
    }

    /// The digits.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// The public form of an ID as a number of 63 bits.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn scramble(&self, id: u64) -> Result<u64, Wrong<'static>> {
        Ok(self.cipher.encrypt(self.tag().as_bytes(), id)?)
    }

    /// The ID that was scrambled to this number.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn unscramble(&self, number: u64) -> Result<u64, Wrong<'static>> {
        Ok(self.cipher.decrypt(self.tag().as_bytes(), number)?)
    }

    /// The public text of an ID.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn encode(&self, id: u64) -> Result<PublicText, Wrong<'static>> {
        let digits = self.alphabet.write(self.scramble(id)?)?;
        Ok(PublicText::new(&self.prefix, &digits))
    }

    /// The ID of a public text.
    ///
    /// # Errors
    /// `ID_INVALID` for a text of another prefix, length or alphabet.
    pub fn decode<'a>(&'a self, text: &'a str) -> Result<u64, Wrong<'a>> {
        let wrong = |problem| Wrong { problem, given: text, prefix: self.prefix() };
        let digits = self.prefix.strip(text).map_err(wrong)?;
        let number = self.alphabet.read(digits).map_err(wrong)?;
        self.unscramble(number)
    }
}

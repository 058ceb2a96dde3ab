//! The scrambler: a key, a tag, and the form of its texts.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use leafid_core::{Code, Name};

use crate::alphabet::Alphabet;
use crate::ff1::Cipher;
use crate::problem::Problem;

/// Characters of a prefix at most.
const PREFIX_MAX: usize = 32;

/// Turns the IDs of a tag (or namespace) into public ones, and back.
///
/// The key must not change while texts are in use: under another one they mean other IDs. One key serves all
/// tags, as each tag has a permutation of its own. The key makes every text readable.
pub struct Scrambler {
    cipher: Cipher,
    tag: Name,
    prefix: String,
    alphabet: Alphabet,
}

impl Scrambler {
    /// A scrambler without a prefix, in base58. `key` is 16 or 32 random bytes, for AES-128 or
    /// AES-256.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a key of another length; `TAG_INVALID`.
    pub fn new(key: &[u8], tag: &str) -> Result<Scrambler, Problem> {
        let cipher = Cipher::new(key)?;
        let wrong = format_args!("is not a tag: [A-Za-z0-9][A-Za-z0-9._:-]{{0,127}}");
        let tag = Name::tag(tag).map_err(|no| Problem::of(no.code, tag, wrong))?;
        Ok(Scrambler { cipher, tag, prefix: String::new(), alphabet: Alphabet::default() })
    }

    /// The same with a prefix that names the kind of ID: `order` for `order_…`. It is not scrambled.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for anything but 1 to 32 of `a-z`, `0-9` and `_`, with a letter first.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Scrambler, Problem> {
        let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let fine = prefix.starts_with(|first: char| first.is_ascii_lowercase())
            && !prefix.ends_with('_')
            && prefix.len() <= PREFIX_MAX
            && prefix.bytes().all(is_word);
        if !fine {
            let is = format_args!(
                "is not a prefix: 1 to {PREFIX_MAX} of `a-z`, `0-9` and `_`, with a letter first \
                 and no `_` at its end"
            );
            return Err(Problem::of(Code::RequestInvalid, prefix, is));
        }
        self.prefix = prefix.to_owned();
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
        &self.prefix
    }

    /// The digits.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// The public form of an ID as a number of 63 bits.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn scramble(&self, id: u64) -> Result<u64, Problem> {
        self.cipher.encrypt(self.tag().as_bytes(), id)
    }

    /// The ID that was scrambled to this number.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn unscramble(&self, number: u64) -> Result<u64, Problem> {
        self.cipher.decrypt(self.tag().as_bytes(), number)
    }

    /// The public text of an ID.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn encode(&self, id: u64) -> Result<String, Problem> {
        let digits = self.alphabet.write(self.scramble(id)?)?;
        Ok(if self.prefix.is_empty() { digits } else { format!("{}_{digits}", self.prefix) })
    }

    /// The ID of a public text.
    ///
    /// # Errors
    /// `ID_INVALID` for a text of another prefix, length or alphabet.
    pub fn decode(&self, text: &str) -> Result<u64, Problem> {
        // A prefix may contain `_`, digits do not.
        let (prefix, digits) = text.rsplit_once('_').unwrap_or(("", text));
        let is_bare = digits.len() == text.len();
        if prefix != self.prefix || is_bare != prefix.is_empty() {
            let wrong = |is| Err(Problem::of(Code::IdInvalid, text, is));
            return match self.prefix() {
                "" => wrong(format_args!("has a prefix, and none is expected here")),
                prefix => wrong(format_args!("does not begin with `{prefix}_`")),
            };
        }
        self.unscramble(self.alphabet.read_of(text, digits)?)
    }
}

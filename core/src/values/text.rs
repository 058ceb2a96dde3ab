//! Text forms of an ID: decimal, and fixed-width sortable base32 (Crockford's alphabet).

use crate::values::{Code, LINE_END, Refusal};

/// Without I, L and O, which look like 1 and 0, and without U, to avoid accidental words.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// How many characters the base32 form has.
pub const BASE32_LEN: usize = 13;
/// How many characters a decimal form has at most.
pub const DECIMAL_LEN: usize = 19;

/// The short text of an ID, held inline.
///
/// | form | characters | sorts like the numbers | for |
/// |---|---|---|---|
/// | [`Text::decimal`] | 1 to 19 | no: `10` comes before `9` | JSON, as JavaScript rounds its numbers |
/// | [`Text::base32`] | 13 | yes | file names, keys of object stores, URLs |
///
/// ```
/// use leafid_core::{Code, Text};
/// let text = Text::base32(7_222_222_222_222_222_222)?;
/// assert_eq!(text.as_str(), "68EKWV2E7SRWE");
/// assert_eq!(Text::parse_base32(text.as_str())?, 7_222_222_222_222_222_222);
///
/// let (nine, ten) = (Text::base32(9)?, Text::base32(10)?);
/// assert!(nine.as_str() < ten.as_str(), "as 9 < 10");
/// assert!(Text::decimal(9)?.as_str() > Text::decimal(10)?.as_str());
///
/// // Each ID has one text per form: anything else is refused.
/// for other in ["68ekwv2e7srwe", "68EKWV2E7SRW", "68EKWV2E7SRWO"] {
///     assert_eq!(Text::parse_base32(other).unwrap_err().code, Code::IdInvalid);
/// }
/// for other in ["007", "+7", " 7", "7.0", "9223372036854775808"] {
///     assert_eq!(Text::parse_decimal(other).unwrap_err().code, Code::IdInvalid);
/// }
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    bytes: [u8; DECIMAL_LEN],
    start: u8,
    end: u8,
}

impl Text {
    /// The decimal form, without leading zeros.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn decimal(id: u64) -> Result<Text, Refusal> {
        let mut rest = checked(id)?;
        let mut text = Text { bytes: [0; DECIMAL_LEN], start: 0, end: DECIMAL_LEN as u8 };
        for (place, byte) in text.bytes.iter_mut().enumerate().rev() {
            *byte = b'0' | (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                text.start = place as u8;
                break;
            }
        }
        Ok(text)
    }

    /// 13 characters of Crockford's base32, upper case: they sort like the numbers.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn base32(id: u64) -> Result<Text, Refusal> {
        let mut rest = checked(id)?;
        let mut text = Text { bytes: [0; DECIMAL_LEN], start: 0, end: BASE32_LEN as u8 };
        for byte in text.bytes.iter_mut().take(BASE32_LEN).rev() {
            *byte = CROCKFORD.get((rest & 31) as usize).copied().unwrap_or(b'0');
            rest >>= 5;
        }
        Ok(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(usize::from(self.start)..usize::from(self.end)).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }

    /// Reads a decimal form. Strict: digits only, no leading zero, no sign.
    ///
    /// # Errors
    /// `ID_INVALID` for anything that [`Text::decimal`] does not write.
    pub fn parse_decimal(text: &str) -> Result<u64, Refusal> {
        let canonical = text == "0" || !text.starts_with('0');
        if !canonical || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Code::IdInvalid.into());
        }
        text.parse().map_err(|_| Refusal::new(Code::IdInvalid)).and_then(checked)
    }

    /// Reads a base32 form. Strict: 13 characters, upper case, no look-alikes.
    ///
    /// # Errors
    /// `ID_INVALID` for anything that [`Text::base32`] does not write.
    pub fn parse_base32(text: &str) -> Result<u64, Refusal> {
        if text.len() != BASE32_LEN {
            return Err(Code::IdInvalid.into());
        }
        let mut id: u64 = 0;
        for byte in text.bytes() {
            let digit = CROCKFORD.iter().position(|c| *c == byte).ok_or(Code::IdInvalid)?;
            let room = id.leading_zeros() >= 5;
            if !room {
                return Err(Code::IdInvalid.into());
            }
            id = id << 5 | digit as u64;
        }
        checked(id)
    }
}

fn checked(id: u64) -> Result<u64, Refusal> {
    if id > LINE_END { Err(Code::IdInvalid.into()) } else { Ok(id) }
}

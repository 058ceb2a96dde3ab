//! FF1 over 63 bits: a number as the standard's numeral string.

use alloc::format;

use aes::{Aes128, Aes256};
use fpe::ff1::{FF1, NumeralString, Operations};
use leafid_core::Code;

use crate::alphabet::checked;
use crate::problem::Problem;

const RADIX: u32 = 2;
const NUMERALS: u32 = 63;
/// The numerals of the second half; the first half has one less.
const SECOND: u32 = 32;

/// FF1 under a key. It has no `Debug`, so that the key is never printed.
pub enum Cipher {
    /// With a key of 16 bytes.
    Aes128(FF1<Aes128>),
    /// With a key of 32 bytes.
    Aes256(FF1<Aes256>),
}

impl Cipher {
    /// FF1 under this key.
    ///
    /// # Errors
    /// `REQUEST_INVALID` for a key of another length.
    pub fn new(key: &[u8]) -> Result<Cipher, Problem> {
        // The crate panics on a length that is not the cipher's.
        let made = match key.len() {
            16 => FF1::new(key, RADIX).map(Cipher::Aes128).ok(),
            32 => FF1::new(key, RADIX).map(Cipher::Aes256).ok(),
            _ => None,
        };
        made.ok_or_else(|| {
            let message =
                format!("the key has {} bytes: it must be 16 or 32 random bytes", key.len());
            Problem { code: Code::RequestInvalid, message }
        })
    }

    /// Encrypts a number to another one of 63 bits.
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn encrypt(&self, tweak: &[u8], id: u64) -> Result<u64, Problem> {
        let id = Number(checked(id)?);
        let done = match self {
            Cipher::Aes128(cipher) => cipher.encrypt(tweak, &id),
            Cipher::Aes256(cipher) => cipher.encrypt(tweak, &id),
        };
        // It fails for numbers of more bits alone.
        Ok(done.map_or(id.0, |number| number.0))
    }

    /// Undoes [`encrypt`](Self::encrypt).
    ///
    /// # Errors
    /// `ID_INVALID` above 2^63 - 1.
    pub fn decrypt(&self, tweak: &[u8], id: u64) -> Result<u64, Problem> {
        let id = Number(checked(id)?);
        let done = match self {
            Cipher::Aes128(cipher) => cipher.decrypt(tweak, &id),
            Cipher::Aes256(cipher) => cipher.decrypt(tweak, &id),
        };
        // It fails for numbers of more bits alone.
        Ok(done.map_or(id.0, |number| number.0))
    }
}

/// A number of 63 bits, the highest bit first.
struct Number(u64);

struct Half {
    number: u64,
    numerals: u32,
}

impl NumeralString for Number {
    type Ops = Half;

    fn is_valid(&self, radix: u32) -> bool {
        radix == RADIX && self.0.leading_zeros() >= u64::BITS - NUMERALS
    }

    fn numeral_count(&self) -> usize {
        NUMERALS as usize
    }

    fn split(&self) -> (Half, Half) {
        let first = Half { number: self.0 >> SECOND, numerals: NUMERALS - SECOND };
        (first, Half::of(self.0, SECOND as usize))
    }

    fn concat(a: Half, b: Half) -> Number {
        Number(a.number << b.numerals | b.number)
    }
}

impl Half {
    fn of(number: u64, numerals: usize) -> Half {
        // Two at most, of 31 and 32.
        let numerals = (numerals as u32).min(SECOND);
        Half { number: number & ((1 << numerals) - 1), numerals }
    }
}

/// Bytes as a number modulo 2^64, which is a multiple of the later modulus.
fn number(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0_u64, |sum, byte| sum << 8 | u64::from(byte))
}

impl Operations for Half {
    type Bytes = [u8; 4];

    fn numeral_count(&self) -> usize {
        self.numerals as usize
    }

    fn to_be_bytes(&self, _radix: u32, _b: usize) -> [u8; 4] {
        // `b` is 4, the bytes of 32 numerals, for either half.
        (self.number as u32).to_be_bytes()
    }

    fn add_mod_exp(self, other: impl Iterator<Item = u8>, _radix: u32, m: usize) -> Half {
        Half::of(self.number.wrapping_add(number(other)), m)
    }

    fn sub_mod_exp(self, other: impl Iterator<Item = u8>, _radix: u32, m: usize) -> Half {
        Half::of(self.number.wrapping_sub(number(other)), m)
    }
}

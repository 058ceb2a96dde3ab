//! The standard's own samples against the crate that does FF1, and ours against the same crate's
//! numeral strings of any length.

use aes::{Aes128, Aes192, Aes256};
use fpe::ff1::{FF1, FlexibleNumeralString};
use leafid_core::LINE_END;
use leafid_public::Scrambler;
use proptest::prelude::*;

const KEY: [u8; 32] = [
    0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
    0xEF, 0x43, 0x59, 0xD8, 0xD5, 0x80, 0xAA, 0x4F, 0x7F, 0x03, 0x6D, 0x6F, 0x04, 0xFC, 0x6A, 0x94,
];

/// Bytes of the key, radix, tweak, plain text, what it becomes: the nine samples that NIST gives for
/// FF1 in SP 800-38G.
const SAMPLES: [(usize, u32, &[u8], &str, &str); 9] = [
    (16, 10, b"", "0123456789", "2433477484"),
    (16, 10, b"9876543210", "0123456789", "6124200773"),
    (16, 36, b"7777pqrs777", "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (24, 10, b"", "0123456789", "2830668132"),
    (24, 10, b"9876543210", "0123456789", "2496655549"),
    (24, 36, b"7777pqrs777", "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (32, 10, b"", "0123456789", "6657667009"),
    (32, 10, b"9876543210", "0123456789", "1001623463"),
    (32, 36, b"7777pqrs777", "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
];

fn encrypted(key: &[u8], radix: u32, tweak: &[u8], plain: Vec<u16>) -> Vec<u16> {
    let plain = FlexibleNumeralString::from(plain);
    let done = match key.len() {
        16 => FF1::<Aes128>::new(key, radix).unwrap().encrypt(tweak, &plain),
        24 => FF1::<Aes192>::new(key, radix).unwrap().encrypt(tweak, &plain),
        _ => FF1::<Aes256>::new(key, radix).unwrap().encrypt(tweak, &plain),
    };
    done.unwrap().into()
}

#[test]
fn the_samples_of_the_standard() {
    for (bytes, radix, tweak, plain, becomes) in SAMPLES {
        let numerals = |text: &str| -> Vec<u16> {
            text.chars().map(|c| c.to_digit(36).unwrap() as u16).collect()
        };
        let done = encrypted(&KEY[..bytes], radix, tweak, numerals(plain));
        assert_eq!(done, numerals(becomes), "AES-{}, radix {radix}", bytes * 8);
    }
}

/// 63 binary numerals, the highest first.
fn bits(number: u64) -> Vec<u16> {
    (0..63).rev().map(|bit| (number >> bit & 1) as u16).collect()
}

fn number(bits: &[u16]) -> u64 {
    bits.iter().fold(0, |sum, bit| sum << 1 | u64::from(*bit))
}

proptest! {
    #[test]
    fn ours_is_the_same_function(
        id in 0..=LINE_END,
        key in any::<[u8; 32]>(),
        long in any::<bool>(),
        tag in "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}",
    ) {
        let key = if long { &key[..] } else { &key[..16] };
        let scrambler = Scrambler::new(key, &tag).unwrap();
        let becomes = scrambler.scramble(id).unwrap();
        prop_assert_eq!(becomes, number(&encrypted(key, 2, tag.as_bytes(), bits(id))));
        prop_assert_eq!(scrambler.unscramble(becomes), Ok(id));
        let text = scrambler.encode(id).unwrap();
        prop_assert_eq!(scrambler.decode(text.as_str()), Ok(id));
    }
}

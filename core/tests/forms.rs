//! What no script of the vectors says of layouts and tokens: what JSON has no number for, and keys.

use leafid_core::{Code, Layout, Refusal, StoreTime, Token};

#[test]
fn an_epoch_is_a_number_of_53_bits() {
    let layout = |epoch_ms| Layout::new(epoch_ms, 1, 41, 10, 12);
    assert!(layout(0).is_ok() && layout((1 << 53) - 1).is_ok());
    for wrong in [-1, 1 << 53, i64::MIN, i64::MAX] {
        assert_eq!(layout(wrong), Err(Code::LayoutInvalid.into()), "{wrong}");
    }
}

#[test]
fn no_moment_at_an_end_of_its_range_has_a_tick() {
    for layout in [Layout::LEAF, Layout::new(0, 86_400_000, 20, 0, 0).expect("it is right")] {
        for end in [StoreTime::MIN, StoreTime::MAX] {
            assert_eq!(layout.tick(end), Err(Refusal::new(Code::TimeOverflow)));
            assert_eq!(layout.compose(end, 0, 0), Err(Refusal::new(Code::TimeOverflow)));
        }
    }
    // Time alone, of days: it lasts for longer than there are milliseconds to count.
    let days = Layout::new(0, 86_400_000, 63, 0, 0).expect("it is right");
    assert_eq!(days.tick(StoreTime::MAX), Ok(i64::MAX as u64 / 86_400_000));
    assert_eq!(days.time(u64::MAX), StoreTime::MAX);
    assert_eq!(days.ticks(u64::MAX), u64::MAX.div_ceil(86_400_000));
}

#[test]
fn a_token_is_32_digits_of_lower_case() {
    let hex = "0123456789abcdef0123456789abcdef";
    assert_eq!(
        Token::parse(hex).map(|token| token.to_hex()),
        Ok(*hex.as_bytes().first_chunk().unwrap())
    );
    let (upper, long, strange) = (hex.to_uppercase(), format!("{hex}0"), hex.replace('f', "g"));
    for wrong in ["", &hex[1..], &long, &upper, &strange, &hex.replace('0', "٠")] {
        assert_eq!(Token::parse(wrong), Err(Code::RequestInvalid.into()), "{wrong}");
    }
}

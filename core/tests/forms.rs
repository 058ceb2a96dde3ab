//! Cases of layouts, tokens and rows of tags that the vectors do not have.

use leafid_core::registry::{TagRow, TagSpec};
use leafid_core::{Code, LINE_END, Layout, Refusal, StoreTime, Token};

#[test]
fn no_moment_at_an_end_of_its_range_has_a_tick() {
    for layout in [Layout::LEAF, Layout::new(0, 86_400_000, 20, 0, 0).expect("it is right")] {
        for end in [StoreTime::MIN, StoreTime::MAX] {
            assert_eq!(layout.tick(end), Err(Refusal::new(Code::TimeOverflow)));
            assert_eq!(layout.compose(end, 0, 0), Err(Refusal::new(Code::TimeOverflow)));
        }
    }
    // Time alone, in days: it lasts for more milliseconds than 64 bits can count.
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

#[test]
fn an_upper_end_stays_until_the_end_of_every_line_takes_it_away() {
    let until = |until| TagSpec { until: Some(until), ..TagSpec::default() };
    let row = TagRow::create(None, &until(50)).expect("it is right");
    let row = row.with(&TagSpec { step: Some(5), ..TagSpec::default() }).expect("a step");
    assert_eq!((row.until, row.end(), row.remaining()), (Some(50), 50, 49), "nothing said of it");
    assert_eq!(row.advance(51).map_err(|no| no.code), Err(Code::RangeInvalid));
    assert_eq!(row.advance(50).map(|row| row.remaining()), Ok(0));
    let row = row.with(&until(LINE_END)).expect("none");
    assert_eq!((row.until, row.end()), (None, LINE_END));
}

//! Cases of values and of a store's rows that the vectors do not have.

use leafid_core::registry::{self, Namespace, TagRow, TagSpec, WorkerRow};
use leafid_core::{Code, LINE_END, Layout, Name, Refusal, RenewAsk, StoreTime, Token};

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

#[test]
fn a_tag_changes_as_is_said_and_never_goes_back() {
    let spec = TagSpec { from: Some(100), step: Some(10), ..TagSpec::default() };
    let row = TagRow::create(None, &spec).unwrap();
    let spec = TagSpec { step: Some(20), max_step: Some(50), ..TagSpec::default() };
    assert_eq!(row.with(&spec), Ok(TagRow { step: 20, max_step: 50, ..row }));
    let code = |changed: Result<TagRow, Refusal>| changed.unwrap_err().code;
    assert_eq!(code(row.advance(99)), Code::RangeInvalid);
    let claimed = TagRow { claimed_until: Some(500), ..row };
    assert_eq!(claimed.advance(100), Ok(row), "said twice, and what was claimed is settled");
    let deleted = TagRow { deleted: true, ..row };
    assert_eq!(code(deleted.advance(200)), Code::TagUnknown);
    assert_eq!(code(deleted.with(&TagSpec::default())), Code::TagUnknown);
}

#[test]
fn what_reaches_a_fences_floor_is_renewed_and_what_lies_below_is_lost() {
    let (store, key) = (Token::new([1; 16]), Token::new([3; 16]));
    let floor = Layout::LEAF.tick(NOW).unwrap() + 10;
    let namespace = Namespace { floor, ..Namespace::create(Layout::LEAF, None, None).unwrap() };
    let row = WorkerRow { key: Some(key), reserved_until: floor, ..WorkerRow::default() };
    for (have_until, code) in [(floor, None), (floor - 1, Some(Code::LeaseLost))] {
        let ask = RenewAsk {
            namespace: Name::namespace("default").unwrap(),
            request: Token::new([4; 16]),
            store,
            worker: 1,
            key,
            have_until,
            length_ms: Some(1_000),
        };
        let renewed = registry::renew(store, &namespace, &row, &ask, NOW);
        assert_eq!(renewed.err().map(|refusal| refusal.code), code, "{have_until}");
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

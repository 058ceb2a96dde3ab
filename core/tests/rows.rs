//! Cases of a store's rows that the vectors do not have: changes of tags, and renewals at a fence.

use leafid_core::registry::{self, Namespace, TagRow, TagSpec, WorkerRow};
use leafid_core::{Code, Layout, Name, RenewAsk, StoreTime, Token};

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

#[test]
fn a_tag_changes_as_is_said_and_never_goes_back() {
    let spec = TagSpec { from: Some(100), step: Some(10), ..TagSpec::default() };
    let row = TagRow::create(None, &spec).unwrap();
    let spec = TagSpec { step: Some(20), max_step: Some(50), ..TagSpec::default() };
    assert_eq!(row.with(&spec), Ok(TagRow { step: 20, max_step: 50, ..row }));
    let code = |changed: Result<TagRow, leafid_core::Refusal>| changed.unwrap_err().code;
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

//! A generator that goes on above another memory image of it.

use leafid_core::{
    Ask, Carryover, Code, Grant, HostTime, LINE_END, MemoryStore, Outcome, Range, SegmentGrant,
    StoreTime, Token,
};

use crate::asking::{START, segment, store};
use crate::carry;

#[test]
fn a_store_below_another_image_is_told_so_and_leases_nothing() {
    let (mut store, mut counter) = (store(100, 100), 0);
    let mut child = segment(1);
    let highest = Carryover::default().above(999_999, None).unwrap();
    assert_eq!(child.resume(highest), Ok(()));
    for ms in 0..5_000 {
        let at = START + ms;
        let _ = carry(&mut child, &mut store, (at, at), &mut counter);
        let _ = child.next(HostTime::new(at));
    }
    let (now, refused) = (HostTime::new(START + 5_000), Code::StoreWentBack.into());
    assert_eq!(child.next(now), Err(refused));
    assert_eq!((child.stats().asks, child.stats().grants, child.stats().dropped), (1, 0, 0));
    // Nor does anybody else until the tag is moved; they wait for that.
    let mut other = segment(9);
    let refused = carry(&mut other, &mut store, (START, START), &mut counter).unwrap_err();
    assert_eq!(refused.code, Code::StoreRefused);
    assert_eq!(other.next(now), Err(Code::SegmentDry.into()));
}

#[test]
fn numbers_below_another_image_are_no_answer() {
    let mut child = segment(8);
    assert_eq!(child.resume(Carryover { position: 150, ..Carryover::default() }), Ok(()));
    let now = HostTime::new(START);
    let Some(Ask::Segment(ask)) = child.poll_ask(now, [2; 16]) else { panic!("nothing asked") };
    assert_eq!(ask.have_until, Some(150));
    let grant = |start| {
        Grant::Segment(SegmentGrant {
            request: ask.request,
            store: Token::new([7; 16]),
            tag: ask.tag,
            range: Range::new(start, start + 100),
            step: 100,
            max_step: 100,
            remaining: 1_000,
            now: StoreTime::new(START),
        })
    };
    assert_eq!(child.handle_grant(&grant(101), now, now), Err(Code::GrantInvalid.into()));
    let later = HostTime::new(START + 1_000);
    let Some(Ask::Segment(again)) = child.poll_ask(later, [2; 16]) else { panic!("not again") };
    assert_eq!(again.have_until, Some(150));
    assert_eq!(child.handle_grant(&grant(150), later, later), Ok(Outcome::Applied));
    assert_eq!(child.next(later), Ok(150));
}

#[test]
fn resuming_that_changes_nothing_says_so() {
    let (mut store, mut counter) = (store(100, 100), 0);
    let before = Carryover { position: 1, ..Carryover::default() };
    let beyond = Carryover { position: LINE_END + 1, ..before };
    let mut child = segment(8);
    assert_eq!(child.resume(beyond), Err(Code::RangeInvalid.into()));
    assert_eq!(
        child.resume(Carryover { have_until: Some(u64::MAX), ..before }),
        Err(Code::RangeInvalid.into())
    );
    assert_eq!(child.carryover(), Carryover::default());
    assert_eq!(carry(&mut child, &mut store, (START, START), &mut counter), Ok(true));
    assert_eq!(child.resume(before), Err(Code::RequestInvalid.into()), "it was granted something");
    child.retire();
    assert_eq!(child.resume(before), Err(Code::Closed.into()));
}

#[test]
fn another_image_knows_the_store_and_the_highest_end() {
    let mut counter = 0;
    let mut parent = segment(1);
    let mut before = store(1_000, 1_000);
    assert_eq!(carry(&mut parent, &mut before, (START, START), &mut counter), Ok(true));
    assert_eq!(parent.next(HostTime::new(START)), Ok(1));

    // The store went back between the fork and the child's first ask.
    let mut child = segment(2);
    assert_eq!(child.resume(parent.carryover()), Ok(()));
    let lost = carry(&mut child, &mut store(10, 10), (START, START), &mut counter);
    assert_eq!(lost.unwrap_err().code, Code::StoreWentBack);

    // Another store answers.
    let mut child = segment(3);
    assert_eq!(child.resume(parent.carryover()), Ok(()));
    let mut other: MemoryStore = MemoryStore::new([8; 16]);
    let changed = carry(&mut child, &mut other, (START, START), &mut counter);
    assert_eq!(changed.unwrap_err().code, Code::StoreChanged);

    // All is well: it goes on above.
    let mut child = segment(4);
    assert_eq!(child.resume(parent.carryover()), Ok(()));
    assert_eq!(parent.carryover().store, Some(Token::new([7; 16])));
    assert_eq!(carry(&mut child, &mut before, (START, START), &mut counter), Ok(true));
    assert_eq!(child.next(HostTime::new(START)), Ok(1_001));
}

//! A generator whose tag ends: it hands out all that is left, says at once what cannot be had, and
//! goes on when an operator raises the tag's upper end.

use leafid_core::registry::{self, TagRow, TagSpec};
use leafid_core::{
    AcquireAsk, Code, Failure, HostTime, Refusal, Release, RenewAsk, Segment, SegmentAsk,
    SegmentConfig, SegmentGrant, Store, StoreTime, Token, WindowGrant,
};

use crate::{carry, name};

/// A store of one tag, whose operator may change it.
struct OneTag {
    row: TagRow,
    asks: u32,
}

impl OneTag {
    fn new(step: u32, until: u64) -> OneTag {
        let spec = TagSpec { step: Some(step), until: Some(until), ..TagSpec::default() };
        OneTag { row: TagRow::create(None, &spec).expect("a tag"), asks: 0 }
    }

    fn raise(&mut self, until: u64) {
        let spec = TagSpec { until: Some(until), ..TagSpec::default() };
        self.row = self.row.with(&spec).expect("an end above the position");
    }
}

impl Store for OneTag {
    fn lease_segment(&mut self, ask: &SegmentAsk) -> Result<SegmentGrant, Failure> {
        self.asks += 1;
        let leased =
            registry::lease_segment(Token::new([7; 16]), &self.row, ask, StoreTime::new(0));
        let refused = |refusal: Refusal<StoreTime>| Failure::from(refusal.code);
        let (row, answer) = leased.map_err(refused)?;
        self.row = row;
        answer.map_err(refused)
    }
    fn acquire(&mut self, _: &AcquireAsk) -> Result<WindowGrant, Failure> {
        Err(Code::NotEnabled.into())
    }
    fn renew(&mut self, _: &RenewAsk) -> Result<WindowGrant, Failure> {
        Err(Code::NotEnabled.into())
    }
    fn release(&mut self, _: &Release) -> Result<(), Failure> {
        Err(Code::NotEnabled.into())
    }
}

fn segment() -> Segment {
    Segment::new(SegmentConfig::new("orders").expect("a tag"), 1).expect("it is right")
}

#[test]
fn all_that_is_left_is_handed_out_and_then_the_tag_is_spent() {
    let (mut store, mut ids, mut counter) = (OneTag::new(10, 26), segment(), 0);
    assert_eq!(ids.tag(), name("orders").as_str());
    let mut given = Vec::new();
    let spent = (0..60_000).find(|at| {
        let _ = carry(&mut ids, &mut store, (*at, *at), &mut counter);
        match ids.next(HostTime::new(*at)) {
            Ok(id) => given.push(id),
            Err(refusal) => assert_eq!(refusal.code, Code::SegmentDry),
        }
        given.len() == 25 && ids.failure().is_some()
    });
    assert_eq!(given, (1..26).collect::<Vec<_>>());
    assert!(spent.is_some() && ids.failure() == Some(Code::TagSpent), "{:?}", ids.failure());
    assert!(Code::TagSpent.is_permanent(), "a caller is told at once");

    // The operator raises it: the next ask of the back-off finds that out.
    store.raise(1_000);
    let from = spent.unwrap();
    let again = (from..from + 60_000).find_map(|at| {
        let _ = carry(&mut ids, &mut store, (at, at), &mut counter);
        ids.next(HostTime::new(at)).ok()
    });
    assert_eq!(again, Some(26));
}

#[test]
fn more_than_is_left_is_refused_and_nothing_is_leased_for_it() {
    let (mut store, mut ids, mut counter) = (OneTag::new(10, 26), segment(), 0);
    assert_eq!(carry(&mut ids, &mut store, (0, 0), &mut counter), Ok(true));
    let at = HostTime::new(1);
    // Ten at hand, and 15 in the store: as many can be had, and one more never.
    assert_eq!(ids.ready(at, 25).unwrap_err().code, Code::SegmentDry);
    assert_eq!(ids.ready(at, 26).unwrap_err().code, Code::TagSpent);
    assert!(!ids.wants_ask(at), "nothing is leased for what cannot be had");
    let mut out = [0; 26];
    assert_eq!(ids.fill(at, &mut out).unwrap_err().code, Code::TagSpent);
    assert_eq!((out, store.asks, store.row.max_id), ([0; 26], 1, 11));
    // What can be had is: in one go.
    let _ = ids.ready(at, 25);
    assert_eq!(carry(&mut ids, &mut store, (1, 1), &mut counter), Ok(true));
    let mut out = [0; 25];
    assert_eq!(ids.fill(at, &mut out), Ok(()));
    assert_eq!((out[0], out[24], store.row.remaining()), (1, 25, 0));
}

#[test]
fn what_was_left_is_not_believed_for_long() {
    let (mut store, mut ids, mut counter) = (OneTag::new(10, 16), segment(), 0);
    assert_eq!(carry(&mut ids, &mut store, (0, 0), &mut counter), Ok(true));
    store.raise(1_000);
    assert_eq!(ids.ready(HostTime::new(9_999), 100).unwrap_err().code, Code::TagSpent);
    assert_eq!(ids.ready(HostTime::new(10_000), 100).unwrap_err().code, Code::SegmentDry);
    assert_eq!(carry(&mut ids, &mut store, (10_000, 10_000), &mut counter), Ok(true));
    assert_eq!(ids.ready(HostTime::new(10_000), 100), Ok(()));
}

#[test]
fn a_caller_that_left_wants_nothing_more_of_a_tag_that_ended() {
    let (mut store, mut ids, mut counter) = (OneTag::new(10, 16), segment(), 0);
    // Nobody knows yet that it ends.
    assert_eq!(ids.ready(HostTime::new(0), 100).unwrap_err().code, Code::SegmentDry);
    assert_eq!(carry(&mut ids, &mut store, (0, 0), &mut counter), Ok(true));
    assert_eq!(ids.stats().in_hand, 15, "all there was");
    assert!((0..60_000).all(|at| !ids.wants_ask(HostTime::new(at))), "15 of 15 are at hand");
}

/// A store of somebody else's may not say how many are left.
#[test]
fn a_store_that_does_not_say_what_is_left_has_not_run_out() {
    let (mut store, mut ids) = (OneTag::new(10, 26), segment());
    let ask = ids.poll_ask(HostTime::new(0), [1; 16]).expect("its first");
    let leafid_core::Ask::Segment(ask) = ask else { panic!("{ask:?}") };
    let grant = store.lease_segment(&ask).expect("ten numbers");
    let unsaid = SegmentGrant { remaining: leafid_core::LINE_END, ..grant };
    let at = HostTime::new(0);
    ids.handle_grant(&leafid_core::Grant::Segment(unsaid), at, at).expect("it is right");
    assert_eq!(ids.ready(at, 100).unwrap_err().code, Code::SegmentDry);
}

/// Somebody else has shown that the store lost grants: who has numbers in hand uses them up, waits, and
/// goes on when an operator has moved the tag.
#[test]
fn a_stopped_tag_is_waited_for() {
    let (mut store, mut ids, mut counter) = (OneTag::new(10, 1_000), segment(), 0);
    assert_eq!(carry(&mut ids, &mut store, (0, 0), &mut counter), Ok(true));
    let holder = SegmentAsk::new(name("orders"), Token::new([9; 16]));
    let told = store.lease_segment(&SegmentAsk { have_until: Some(500), ..holder });
    assert_eq!(told.map_err(|failure| failure.code), Err(Code::StoreWentBack));
    let mut given = Vec::new();
    let mut draw = |ids: &mut Segment, store: &mut OneTag, at: i64| {
        let _ = carry(ids, store, (at, at), &mut counter);
        match ids.next(HostTime::new(at)) {
            Ok(id) => given.push(id),
            Err(refusal) => assert_eq!(refusal.code, Code::SegmentDry, "it stops nobody else"),
        }
        given.clone()
    };
    for at in 0..60_000 {
        draw(&mut ids, &mut store, at);
    }
    assert_eq!(ids.failure(), Some(Code::StoreRefused));
    assert_eq!(draw(&mut ids, &mut store, 60_000), (1..11).collect::<Vec<_>>());
    store.row = store.row.advance(500).expect("a position above");
    let on = (60_001..120_000).find(|at| draw(&mut ids, &mut store, *at).len() > 10);
    assert!(on.is_some_and(|at| at < 61_200), "on with the next ask of the back-off: {on:?}");
    assert_eq!(given.last(), Some(&500));
}

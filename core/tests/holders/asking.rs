//! How often a segment generator asks, and for how much.

use leafid_core::registry::TagSpec;
use leafid_core::{
    Carryover, Code, HostTime, MemoryStore, Segment, SegmentConfig, StoreTime, Token,
};

use crate::{carry, name};

const START: i64 = 1_000_000;

fn store(step: u32, max_step: u32) -> MemoryStore {
    let mut store = MemoryStore::new([7; 16]);
    store.set_clock(StoreTime::new(START));
    let spec = TagSpec { step: Some(step), max_step: Some(max_step), ..TagSpec::default() };
    store.create_tag(name("orders"), &spec).expect("a new tag");
    store
}

fn segment(seed: u64) -> Segment {
    Segment::new(SegmentConfig::new("orders").expect("a tag"), seed).expect("it is right")
}

/// Two users of one tag, one of which once asked for more than the tag gives in one go.
fn lives_beside_another(count: u64) -> (u64, u64) {
    let mut store = store(100, 100);
    let (mut one, mut other, mut counter) = (segment(1), segment(2), 0);
    let refused = (0..50).find_map(|ms| {
        let at = START + ms;
        let refusal = one.ready(HostTime::new(at), count).err()?;
        let _ = carry(&mut one, &mut store, (at, at), &mut counter);
        (refusal.code == Code::CountInvalid).then_some(at)
    });
    assert_eq!(refused.is_some(), count > 100, "{count} of at most 100");
    for ms in 0..10_000 {
        let at = START + 50 + ms;
        let _ = carry(&mut one, &mut store, (at, at + 1), &mut counter);
        // Its leases fall between those of the one.
        if ms < 100 || ms % 100 == 0 {
            for _ in 0..60 {
                let _ = other.next(HostTime::new(at));
            }
            let _ = carry(&mut other, &mut store, (at, at), &mut counter);
        }
        if ms % 100 == 0 {
            let _ = one.next(HostTime::new(at));
        }
    }
    (one.stats().asks, one.stats().dropped)
}

#[test]
fn a_count_that_was_refused_is_not_asked_for_for_ever() {
    let (control, _) = lives_beside_another(1);
    let (asks, dropped) = lives_beside_another(500);
    println!("asks in 10 s: {asks} after a refused count, {control} without; {dropped} dropped");
    assert!(asks <= control + 5 && dropped <= 200, "{asks} asks, {dropped} numbers dropped");
}

#[test]
fn a_count_beyond_every_step_is_refused_at_once_and_forgotten() {
    let (mut store, mut ids, mut counter) = (store(10, 1_000), segment(1), 0);
    let now = HostTime::new(START);
    assert_eq!(ids.ready(now, 3_000_000_000).unwrap_err().code, Code::CountInvalid);
    assert_eq!(carry(&mut ids, &mut store, (START, START), &mut counter), Ok(true));
    assert_eq!(ids.next(now), Ok(1));
}

#[test]
fn a_first_ask_for_a_few_leases_the_tags_own_step() {
    let (mut store, mut ids, mut counter) = (store(1_000, 1_000_000), segment(1), 0);
    let now = HostTime::new(START);
    assert_eq!(ids.ready(now, 10).unwrap_err().code, Code::SegmentDry);
    assert_eq!(carry(&mut ids, &mut store, (START, START), &mut counter), Ok(true));
    assert_eq!((ids.ready(now, 10), ids.stats().in_hand), (Ok(()), 1_000));
}

#[test]
fn a_first_ask_for_many_leases_them_in_one_go() {
    let (mut store, mut ids, mut counter) = (store(1_000, 1_000_000), segment(1), 0);
    let now = HostTime::new(START);
    assert_eq!(ids.ready(now, 50_000).unwrap_err().code, Code::SegmentDry);
    assert_eq!(carry(&mut ids, &mut store, (START, START), &mut counter), Ok(true));
    assert_eq!((ids.ready(now, 50_000), ids.stats().in_hand), (Ok(()), 50_000));
}

#[test]
fn nothing_is_leased_for_a_count_that_can_never_be_had() {
    let (mut store, mut ids, mut counter) = (store(1_000, 1_000_000), segment(1), 0);
    let now = HostTime::new(START);
    assert_eq!(ids.ready(now, 1_000_000_000).unwrap_err().code, Code::SegmentDry);
    for ms in 0..1_000 {
        let at = START + ms;
        let _ = carry(&mut ids, &mut store, (at, at), &mut counter);
        if ids.ready(HostTime::new(at), 1_000_000_000).unwrap_err().code == Code::CountInvalid {
            break;
        }
    }
    // What was leased to learn the limit is at hand for everybody else.
    assert_eq!((ids.most(), ids.stats().asks, ids.stats().in_hand), (1_000_000, 1, 1_000));
}

#[test]
fn an_answer_that_says_how_many_can_be_had_ends_the_wanting_by_itself() {
    let (mut store, mut ids, mut counter) = (store(10, 1_000_000), segment(1), 0);
    let now = HostTime::new(START);
    assert_eq!(ids.ready(now, 1_000_001).unwrap_err().code, Code::SegmentDry);
    assert_eq!(carry(&mut ids, &mut store, (START, START), &mut counter), Ok(true));
    // A driver's thread looks again before the caller does.
    assert!(!ids.wants_ask(now), "{:?}", ids.stats());
    assert_eq!(ids.ready(now, 1_000_001).unwrap_err().code, Code::CountInvalid);
    assert_eq!((ids.stats().asks, ids.stats().in_hand), (1, 10));
}

#[test]
fn a_range_that_is_used_up_on_arrival_counts_as_a_failure() {
    let (mut store, mut counter) = (store(100, 100), 0);
    let mut child = segment(1);
    child.resume(Carryover { position: 1_000_000, ..Carryover::default() });
    for ms in 0..5_000 {
        let at = START + ms;
        let _ = carry(&mut child, &mut store, (at, at), &mut counter);
        let _ = child.next(HostTime::new(at));
    }
    let asks = child.stats().asks;
    println!("{asks} asks in 5 s, every answer used up on arrival");
    assert!((5..=20).contains(&asks), "{asks} asks");
}

#[test]
fn a_range_below_where_another_image_stood_is_not_at_hand() {
    let (mut store, mut counter) = (store(100, 100), 0);
    let mut child = segment(8);
    child.resume(Carryover { position: 350, ..Carryover::default() });
    for (at, in_hand) in [(0, 0), (1_000, 0), (2_000, 100)] {
        assert_eq!(carry(&mut child, &mut store, (at, at), &mut counter), Ok(true));
        assert_eq!(child.stats().in_hand, in_hand, "at {at} ms");
        // Somebody else's lease falls between.
        assert_eq!(carry(&mut segment(9), &mut store, (at, at), &mut counter), Ok(true));
    }
    let now = HostTime::new(3_000);
    assert_eq!(child.next(now), Ok(401));
}

#[test]
fn of_a_range_around_where_another_image_stood_only_the_upper_part_is_at_hand() {
    let (mut store, mut counter) = (store(100, 100), 0);
    let mut child = segment(8);
    child.resume(Carryover { position: 150, ..Carryover::default() });
    for at in [0, 1_000, 2_000] {
        assert_eq!(carry(&mut child, &mut store, (at, at), &mut counter), Ok(true));
    }
    let mut ids = [0; 60];
    assert_eq!(child.fill(HostTime::new(3_000), &mut ids), Ok(()));
    assert_eq!((ids[0], ids[59]), (150, 209));
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
    child.resume(parent.carryover());
    let lost = carry(&mut child, &mut store(10, 10), (START, START), &mut counter);
    assert_eq!(lost.unwrap_err().code, Code::StoreWentBack);

    // Another store answers.
    let mut child = segment(3);
    child.resume(parent.carryover());
    let mut other: MemoryStore = MemoryStore::new([8; 16]);
    let changed = carry(&mut child, &mut other, (START, START), &mut counter);
    assert_eq!(changed.unwrap_err().code, Code::StoreChanged);

    // All is well: it goes on above.
    let mut child = segment(4);
    child.resume(parent.carryover());
    assert_eq!(parent.carryover().store, Some(Token::new([7; 16])));
    assert_eq!(carry(&mut child, &mut before, (START, START), &mut counter), Ok(true));
    assert_eq!(child.next(HostTime::new(START)), Ok(1_001));
}

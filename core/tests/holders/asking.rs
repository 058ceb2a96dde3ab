//! How often a segment generator asks, and for how much.

use leafid_core::registry::TagSpec;
use leafid_core::{Code, HostTime, MemoryStore, Segment, SegmentConfig, StoreTime};

use crate::{carry, name};

pub(super) const START: i64 = 1_000_000;

pub(super) fn store(step: u32, max_step: u32) -> MemoryStore {
    store_from(1, step, max_step)
}

fn store_from(from: u64, step: u32, max_step: u32) -> MemoryStore {
    let mut store = MemoryStore::new([7; 16]);
    store.set_clock(StoreTime::new(START));
    let (from, step, max_step) = (Some(from), Some(step), Some(max_step));
    let spec = TagSpec { from, step, max_step, ..TagSpec::default() };
    store.create_tag(name("orders"), &spec).expect("a new tag");
    store
}

pub(super) fn segment(seed: u64) -> Segment {
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
fn a_first_ask_leases_what_can_be_had_of_what_is_wanted() {
    let (dry, never) = (Some(Code::SegmentDry), Some(Code::CountInvalid));
    for (case, (step, max_step), wanted, before, after, in_hand) in [
        ("a few: the tag's own step", (1_000, 1_000_000), 10, dry, None, 1_000),
        ("many: in one go", (1_000, 1_000_000), 50_000, dry, None, 50_000),
        ("more than the tag gives", (1_000, 1_000_000), 1_000_000_000, dry, never, 1_000),
        ("one more than the tag gives", (10, 1_000_000), 1_000_001, dry, never, 10),
        ("more than any tag gives", (10, 1_000), 3_000_000_000, never, never, 10),
    ] {
        let (mut store, mut ids, mut counter) = (store(step, max_step), segment(1), 0);
        let now = HostTime::new(START);
        let ready = |ids: &mut Segment| ids.ready(now, wanted).err().map(|refusal| refusal.code);
        assert_eq!(ready(&mut ids), before, "{case}");
        assert_eq!(carry(&mut ids, &mut store, (START, START), &mut counter), Ok(true), "{case}");
        // A driver's thread looks again before the caller does.
        assert!(!ids.wants_ask(now), "{case}: {:?}", ids.stats());
        assert_eq!(ready(&mut ids), after, "{case}");
        // What was leased to learn the limit is at hand for everybody else.
        assert_eq!((ids.stats().asks, ids.stats().in_hand), (1, in_hand), "{case}");
        assert_eq!((ids.most(), ids.next(now)), (max_step.into(), Ok(1)), "{case}");
    }
}

#[test]
fn what_a_tag_gives_at_once_is_asked_for_again_after_ten_seconds() {
    let (mut store, mut ids, mut counter) = (store(10, 1_000), segment(1), 0);
    let begun = HostTime::new(START);
    assert_eq!(carry(&mut ids, &mut store, (START, START), &mut counter), Ok(true));
    assert_eq!(ids.fill(begun, &mut [0; 5]), Ok(()));
    let count =
        |ids: &mut Segment, at: i64| ids.ready(HostTime::new(at), 5_000).map_err(|no| no.code);
    assert_eq!(count(&mut ids, START + 9_999), Err(Code::CountInvalid));
    assert!(!ids.wants_ask(HostTime::new(START + 9_999)) || ids.stats().in_hand < 9);

    // It is not: one number is what it cost to hear that.
    let mut at = START + 10_000;
    assert_eq!(count(&mut ids, at), Err(Code::SegmentDry));
    let before = (ids.stats().in_hand, ids.stats().step);
    assert_eq!(carry(&mut ids, &mut store, (at, at), &mut counter), Ok(true));
    assert_eq!((ids.stats().in_hand, ids.stats().step), (before.0 + 1, before.1));
    assert_eq!(count(&mut ids, at), Err(Code::CountInvalid));
    assert_eq!(count(&mut ids, at + 9_999), Err(Code::CountInvalid));

    // It is raised: the same ask brings them.
    let mut store = store_from(1_000, 10, 10_000);
    at += 10_000;
    assert_eq!(count(&mut ids, at), Err(Code::SegmentDry));
    assert_eq!(carry(&mut ids, &mut store, (at, at), &mut counter), Ok(true));
    assert_eq!(count(&mut ids, at), Ok(()));
    assert_eq!(ids.most(), 10_000);
    assert_eq!(count(&mut ids, at), Ok(()));
    // And what no tag can give is refused as before.
    let never = ids.ready(HostTime::new(at + 60_000), 3_000_000_000).unwrap_err();
    assert_eq!(never.code, Code::CountInvalid);
}

//! Which rows an acquire looks up, and from which of them it is decided.

use leafid_core::registry::{Candidates, Look, Namespace, Search, Worker, WorkerRow};
use leafid_core::{Layout, Name, Range, StoreTime};

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);
const MONTH_MS: i64 = 30 * 86_400_000;

fn space(start: u64, end: u64) -> Namespace {
    Namespace::create(Layout::LEAF, Some(Range::new(start, end)), None).expect("it is right")
}

fn me() -> Name {
    Name::owner("host-1").expect("a label")
}

/// A number that is free from `until` on.
fn free(number: u32, until: u64) -> Option<Worker> {
    Some((number, WorkerRow { reserved_until: until, ..WorkerRow::default() }))
}

/// The same, kept for an owner that was seen `ago` ms before.
fn kept(owner: &str, number: u32, until: u64, ago: i64) -> Option<Worker> {
    let owner = Name::owner(owner).expect("a label");
    let granted = NOW.plus(-ago);
    let row =
        WorkerRow { owner, sticky: true, granted, reserved_until: until, ..Default::default() };
    Some((number, row))
}

fn next(search: &Search, space: &Namespace) -> Look {
    search.next(space, &me(), NOW)
}

/// The number that would be given, once all rows are found.
fn rested(search: &Search, space: &Namespace) -> Option<u32> {
    match next(search, space) {
        Look::Enough(candidates) => candidates.rested.map(|(number, _)| number),
        look => panic!("{look:?} is still to be looked up"),
    }
}

/// PROTOCOL R15.
#[test]
fn a_request_that_comes_again_looks_for_nothing() {
    let mine = free(3, 70);
    let search = Search { mine, ..Search::default() };
    let wanted = Candidates { mine, ..Candidates::default() };
    assert_eq!(next(&search, &space(0, 8)), Look::Enough(wanted));
    assert_eq!(search.used_until(3), 0, "and nothing was handed out");
}

#[test]
fn a_number_never_handed_out_comes_first() {
    for (range, used_until, from) in
        [((0, 8), 0, 0), ((0, 8), 7, 7), ((4, 8), 0, 4), ((4, 8), 5, 5)]
    {
        let search = Search { used_until, ..Search::default() };
        assert_eq!(next(&search, &space(range.0, range.1)), Look::Unused { from }, "{range:?}");
    }
    let own = [kept("host-1", 1, 5, 10), None];
    // The owner's number is enough: numbers at rest are not looked up.
    let search = Search { used_until: 2, own, unused: Some(5), ..Search::default() };
    let fresh = Some((5, WorkerRow::default()));
    let wanted = Candidates { mine: None, own, rested: fresh };
    assert_eq!(next(&search, &space(0, 8)), Look::Enough(wanted));
}

#[test]
fn what_rests_is_looked_up_when_every_number_has_a_row() {
    let all = space(0, 8);
    let noted = Search { used_until: 8, ..Search::default() };
    assert_eq!(next(&noted, &all), Look::Resting);
    for unused in [8, 9, 1 << 32] {
        let found = Search { used_until: 3, unused: Some(unused), ..Search::default() };
        assert_eq!(next(&found, &all), Look::Resting, "{unused}");
        assert_eq!(found.used_until(2), unused, "nobody looks again");
    }
    let empty = Search { resting: Some([None, None]), ..noted };
    assert_eq!(rested(&empty, &all), None);
}

#[test]
fn the_longest_rested_number_comes_before_those_others_keep() {
    let all = space(0, 8);
    let look = |own, resting| {
        let search = Search { used_until: 8, own, resting: Some(resting), ..Search::default() };
        rested(&search, &all)
    };
    let none = [None, None];
    let (day, month) = (86_400_000, MONTH_MS);
    assert_eq!(look(none, [free(1, 70), kept("host-2", 2, 5, day)]), Some(1));
    assert_eq!(look(none, [free(1, 70), kept("host-2", 2, 5, month - 1)]), Some(1));
    assert_eq!(look(none, [free(1, 70), kept("host-2", 2, 5, month)]), Some(2), "kept no longer");
    assert_eq!(look(none, [free(1, 70), kept("host-2", 2, 71, month)]), Some(1), "rested longer");
    assert_eq!(
        look(none, [None, kept("host-2", 2, 5, day)]),
        Some(2),
        "the first that will be free"
    );
    assert_eq!(look([kept("host-1", 6, 9, day), None], [free(1, 70), None]), Some(6), "its own");
    assert_eq!(look([kept("host-1", 6, 90, day), None], [free(1, 70), None]), Some(1));
}

#[test]
fn a_number_outside_the_range_goes_to_nobody() {
    let half = space(4, 8);
    let own = [kept("host-1", 1, 5, 10), None];
    let resting = Some([free(2, 3), None]);
    let search = Search { used_until: 8, own, resting, ..Search::default() };
    let Look::Enough(candidates) = next(&search, &half) else { panic!("all is known") };
    assert_eq!(candidates.rested, None);
    assert_eq!(candidates.own, own, "it is still told, to be freed");
}

#[test]
fn the_next_look_begins_behind_what_was_given() {
    let found = Search { used_until: 2, unused: Some(5), ..Search::default() };
    assert_eq!(found.used_until(5), 6);
    assert_eq!(found.used_until(1), 5, "its own number was given, and 5 has no row yet");
    assert_eq!(Search { used_until: 9, ..Search::default() }.used_until(3), 9);
}

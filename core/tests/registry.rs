//! What no script of the vectors decides: which worker number an owner gets where the range that may
//! be handed out has changed, or two servers have decided at once; floors, and upper ends that stay.
//! The simulator checks that no two grants of one line overlap.

use leafid_core::registry::{
    self, Acquired, Candidates, Namespace, TagRow, TagSpec, Worker, WorkerRow,
};
use leafid_core::{
    AcquireAsk, Code, LINE_END, Layout, Name, Range, Refusal, RenewAsk, StoreTime, Token,
    WindowGrant,
};

const STORE: Token = Token::new([7; 16]);
const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

fn namespace(start: u64, end: u64) -> Namespace {
    Namespace::create(Layout::LEAF, Some(Range::new(start, end)), Some(1_000)).expect("it is right")
}

fn ask(number: u8, strict: bool) -> AcquireAsk {
    let namespace = Name::namespace("n").expect("a name");
    let owner = Name::owner("host-1").expect("a label");
    let ask = AcquireAsk::new(namespace, Token::new([number; 16]), owner);
    AcquireAsk { store: Some(STORE), sticky: true, strict, ..ask }
}

fn renew(
    space: &Namespace,
    row: &Worker,
    grant: &WindowGrant,
) -> Result<WindowGrant, Refusal<StoreTime>> {
    let namespace = Name::namespace("n").expect("a name");
    let ask = RenewAsk::new(namespace, Token::new([99; 16]), grant);
    registry::renew(STORE, space, &row.1, &ask, NOW.plus(500))?.1
}

/// The owner has number 0 of 0..8, its window is over, and the range is 4..8 since then.
fn moved(strict: bool) -> (Worker, WindowGrant, Acquired) {
    let candidates = Candidates { rested: Some((0, WorkerRow::default())), ..Default::default() };
    let before = namespace(0, 8);
    let first = registry::acquire(STORE, &before, &candidates, &ask(1, strict), NOW);
    let Acquired { worker, grant, .. } = first.expect("all are free");
    assert_eq!((worker.0, worker.1.sticky), (0, true));
    assert!(renew(&before, &worker, &grant).is_ok(), "inside the range it is renewed");
    let candidates = Candidates {
        own: [Some(worker), None],
        rested: Some((4, WorkerRow::default())),
        ..Default::default()
    };
    let later = NOW.plus(2_000);
    let again = registry::acquire(STORE, &namespace(4, 8), &candidates, &ask(2, strict), later);
    (worker, grant, again.expect("4 is free"))
}

#[test]
fn a_number_that_left_the_range_goes_to_nobody_any_more() {
    for strict in [false, true] {
        let (before, grant, again) = moved(strict);
        assert_eq!(again.worker.0, 4, "its owner gets one inside");
        assert!(again.worker.1.sticky, "and keeps that");
        let freed = (0, WorkerRow { sticky: false, ..before.1 });
        assert_eq!(again.freed, Some(freed), "not the old one as well");
        let late = renew(&namespace(4, 8), &before, &grant);
        assert_eq!(late.unwrap_err().code, Code::LeaseLost, "who slept past its window lost it");
    }
}

/// Two servers decided for one owner at once; its next ask finds both rows.
fn after_a_race(strict: bool, free: bool) -> Result<Acquired, Refusal<StoreTime>> {
    let space = namespace(0, 8);
    let decided = |number: u8, after| {
        let rested = Some((u32::from(number), WorkerRow::default()));
        let candidates = Candidates { rested, ..Default::default() };
        let acquired =
            registry::acquire(STORE, &space, &candidates, &ask(number, strict), NOW.plus(after));
        acquired.expect("both were free").worker
    };
    let (older, newer) = (decided(1, 0), decided(2, 3));
    assert!(older.1.sticky && newer.1.sticky);
    let candidates = Candidates {
        own: [Some(older), Some(newer)],
        rested: Some((3, WorkerRow::default())),
        ..Default::default()
    };
    let later = NOW.plus(if free { 5_000 } else { 10 });
    let swapped = Candidates { own: [Some(newer), Some(older)], ..candidates };
    let acquired = registry::acquire(STORE, &space, &candidates, &ask(9, strict), later);
    let turned = registry::acquire(STORE, &space, &swapped, &ask(9, strict), later);
    assert_eq!(acquired, turned, "whichever is found first");
    acquired
}

/// The number that was given, whether its owner keeps it, and the one that was freed.
fn given(acquired: Result<Acquired, Refusal<StoreTime>>) -> (u32, bool, Option<(u32, bool)>) {
    let Acquired { worker: (number, row), freed, .. } = acquired.expect("one is free");
    (number, row.sticky, freed.map(|(number, row)| (number, row.sticky)))
}

#[test]
fn of_two_kept_numbers_the_one_that_is_free_is_used() {
    let space = namespace(0, 8);
    let row = |number: u8, reserved_until: u64, after: i64| {
        let owner = Name::owner("host-1").expect("a label");
        let granted = NOW.plus(after);
        let row = WorkerRow { owner, sticky: true, reserved_until, granted, ..Default::default() };
        Some((u32::from(number), row))
    };
    let tick = Layout::LEAF.tick(NOW).expect("it fits");
    let (free, held) = (row(1, tick - 5, -900), row(2, tick + 500, -1));
    let candidates = Candidates { own: [free, held], ..Default::default() };
    let acquired = registry::acquire(STORE, &space, &candidates, &ask(3, true), NOW);
    assert_eq!(given(acquired), (1, true, Some((2, false))));
}

#[test]
fn of_two_kept_numbers_the_newer_is_used_and_the_older_freed() {
    assert_eq!(given(after_a_race(true, true)), (2, true, Some((1, false))));
    assert_eq!(after_a_race(true, false).unwrap_err().code, Code::WorkersExhausted);
    assert_eq!(given(after_a_race(false, false)), (3, false, Some((1, false))));
}

#[test]
fn no_window_begins_below_the_floor() {
    let floor = Layout::LEAF.tick(NOW).expect("it fits") + 100;
    let fenced = Namespace { floor, ..namespace(0, 8) };
    let candidates = Candidates { rested: Some((0, WorkerRow::default())), ..Default::default() };
    let acquire = |now| {
        registry::acquire(STORE, &fenced, &candidates, &ask(1, false), now).map_err(|no| {
            assert_eq!(no.code, Code::WorkersExhausted);
            no.until
        })
    };
    assert_eq!(acquire(NOW.plus(99)), Err(Some(NOW.plus(100))));
    assert!(acquire(NOW.plus(100)).is_ok());
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

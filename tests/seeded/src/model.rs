//! Models of the lock-free line: every interleaving of two drawing calls with one change of the
//! line, and the seeded bugs that only such a search can see.
//!
//! Run: `RUSTFLAGS="--cfg loom" cargo test -p leafid-seeded --lib --release --target-dir target/loom`

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::bugs::{Bug, seed};
use crate::line::{INSIDE, Line, Run, Shape, SharedLine};
use crate::values::Range;
use crate::{
    Action, Event, HostTime, Ids, Layout, MemoryStore, Name, Segment, SegmentConfig, SegmentGrant,
    Snowflake, SnowflakeConfig, SnowflakeIds, StoreTime, Token, refill,
};

const ALL: Range = Range::new(0, u64::MAX);
/// Two positions per tick.
const TICKS: Shape = Shape::ticks(2, 1);

/// Runs one model at a time, as the seeded bug is set for the whole process.
fn alone(bug: Bug) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    seed(bug);
    guard
}

/// Checks that a model passes with the code as it is, and fails with each of these bugs.
fn holds(found: &[Bug], model: fn()) {
    let guard = alone(Bug::None);
    loom::model(model);
    drop(guard);
    for bug in found {
        let guard = alone(*bug);
        let verdict = catch_unwind(AssertUnwindSafe(|| loom::model(model)));
        seed(Bug::None);
        drop(guard);
        assert!(verdict.is_err(), "{bug:?} was not found");
        std::println!("model: found {bug:?}");
    }
}

/// An open line, as one caller leaves it.
fn opened(shape: Shape, worker: u32, start: u64, end: u64) -> Arc<SharedLine> {
    let line = Arc::new(SharedLine::new());
    let mut face: &SharedLine = &line;
    face.put_bound(INSIDE, shape.bound(worker, end));
    face.put_cursor(INSIDE, shape.position(start));
    line
}

fn draws(line: &SharedLine, shape: Shape, calls: usize) -> Vec<Run> {
    (0..calls).filter_map(|_| line.take(shape, ALL, 1).ok()).collect()
}

/// Checks that each position of each worker was drawn once, that all were, and that each thread's
/// ascend.
fn check(threads: &[Vec<Run>], inside: impl Fn(u32, u64) -> bool) {
    let mut seen = BTreeSet::new();
    for runs in threads {
        let mut last = None;
        for run in runs {
            for position in run.positions.start..run.positions.end {
                assert!(seen.insert((run.worker, position)), "handed out twice: {run:?}");
                assert!(inside(run.worker, position), "not granted: {run:?}");
                assert!(last < Some(position), "not ascending: {run:?}");
                last = Some(position);
            }
        }
    }
}

#[test]
fn model_draws_against_draws() {
    holds(&[Bug::InclusiveEnd], || {
        let line = opened(Shape::NUMBERS, 0, 1, 4);
        let other = line.clone();
        let thread = loom::thread::spawn(move || draws(&other, Shape::NUMBERS, 2));
        let mine = draws(&line, Shape::NUMBERS, 2);
        check(&[mine, thread.join().unwrap()], |_, number| (1..4).contains(&number));
    });
}

#[test]
fn model_draws_against_extend() {
    holds(&[Bug::InclusiveEnd], || {
        let line = opened(Shape::NUMBERS, 0, 1, 2);
        let other = line.clone();
        let thread = loom::thread::spawn(move || draws(&other, Shape::NUMBERS, 2));
        let mut face: &SharedLine = &line;
        face.extend(INSIDE, Shape::NUMBERS.bound(0, 3));
        let mine = draws(&line, Shape::NUMBERS, 1);
        check(&[mine, thread.join().unwrap()], |_, number| (1..3).contains(&number));
    });
}

#[test]
fn model_switch_over_a_hole() {
    // A line of numbers opened in the wrong order only seems dry for a moment, as the cursor lies
    // above the old end. So that bug is searched for where it does harm, at the switch of workers.
    holds(&[Bug::InclusiveEnd], || {
        let line = opened(Shape::NUMBERS, 0, 1, 2);
        let other = line.clone();
        let thread = loom::thread::spawn(move || draws(&other, Shape::NUMBERS, 2));
        let mine = draws(&line, Shape::NUMBERS, 1);
        let mut face: &SharedLine = &line;
        face.close(INSIDE);
        face.open(INSIDE, Shape::NUMBERS, 5, Shape::NUMBERS.bound(0, 7));
        let after = draws(&line, Shape::NUMBERS, 1);
        let granted = |_, number| number == 1 || (5..7).contains(&number);
        check(&[mine, after, thread.join().unwrap()], granted);
    });
}

/// The old worker's rest was given back at the switch, so another holder may have it.
#[test]
fn model_switch_of_worker_with_release() {
    holds(&[Bug::OpenAtOldTick, Bug::CursorBeforeBound, Bug::BoundBeforeCursor], || {
        let line = opened(TICKS, 1, 2, 6);
        let other = line.clone();
        let thread = loom::thread::spawn(move || draws(&other, TICKS, 2));
        let mut face: &SharedLine = &line;
        face.close(INSIDE);
        let given_back_from = TICKS.position(TICKS.first_unused_tick(face.stands_at()));
        face.open(INSIDE, TICKS, TICKS.position(2), TICKS.bound(2, 6));
        let mine = draws(&line, TICKS, 1);
        check(&[mine, thread.join().unwrap()], |worker, position| match worker {
            1 => position < given_back_from,
            _ => position < TICKS.position(6),
        });
    });
}

/// A generator on a line that another thread draws from, with a first window in hand.
fn windowed(line: &Arc<SharedLine>) -> (Snowflake<Arc<SharedLine>>, MemoryStore<1, 1, 2>) {
    let mut config = SnowflakeConfig::new("model", "model").unwrap();
    config.spread = Some(0);
    config.layout = Some(Layout::new(0, 1, 20, 1, 1).unwrap());
    let mut store = MemoryStore::new([7; 16]);
    store.set_clock(STORE_NOW);
    let mut ids = Snowflake::with_line(config, 1, line.clone()).unwrap();
    refill(&mut ids, &mut store, || NOW, || [1; 16]).unwrap();
    (ids, store)
}

const NOW: HostTime = HostTime::new(2);
const STORE_NOW: StoreTime = StoreTime::new(2);

fn stamps(line: &SharedLine, mut stamp: SnowflakeIds, calls: usize) -> Vec<Run> {
    let mut face = line;
    (0..calls).filter_map(|_| stamp.run(&mut face, NOW, 1).ok()).collect()
}

/// Ticks that `retire` gives back were not and will not be stamped.
#[test]
fn model_retire_with_release() {
    holds(&[Bug::ReleaseBeforeClose], || {
        let line = Arc::new(SharedLine::new());
        let (mut ids, _store) = windowed(&line);
        let stamp = ids.ids().unwrap();
        let other = line.clone();
        let thread = loom::thread::spawn(move || stamps(&other, stamp, 2));
        let release = ids.retire().unwrap();
        let given_back_from = stamp.shape().position(release.unused_from);
        check(&[thread.join().unwrap()], |_, position| position < given_back_from);
        assert!(stamps(&line, stamp, 1).is_empty(), "a closed line gave something");
    });
}

/// `forget`, and a new window on another worker, while a thread draws: it gets nothing of the old
/// window that a release at that moment would have given back.
#[test]
fn model_forget_and_acquire() {
    holds(&[Bug::ForgetKeepsRange], || {
        let line = Arc::new(SharedLine::new());
        let (mut ids, mut store) = windowed(&line);
        let stamp = ids.ids().unwrap();
        let other = line.clone();
        let thread = loom::thread::spawn(move || stamps(&other, stamp, 1));
        ids.forget();
        let between = stamps(&line, stamp, 1);
        refill(&mut ids, &mut store, || NOW, || [2; 16]).unwrap();
        let mine = stamps(&line, stamp, 1);
        let theirs = thread.join().unwrap();
        assert!(between.is_empty(), "what was forgotten was handed out");
        check(&[mine, theirs], |_, _| true);
    });
}

/// All or nothing: closing the line either takes its rest, or the line reopens where it stood, on
/// the same numbers.
#[test]
fn model_fill_over_a_hole() {
    holds(&[Bug::InclusiveEnd], || {
        let line = Arc::new(SharedLine::new());
        let config = SegmentConfig::new("model").unwrap();
        let mut ids = Segment::with_line(config, 1, line.clone()).unwrap();
        grant_numbers(&mut ids, Range::new(1, 3), 1);
        ids.ready(NOW, 4).unwrap_err();
        grant_numbers(&mut ids, Range::new(7, 9), 2);
        let other = line.clone();
        let thread = loom::thread::spawn(move || draws(&other, Shape::NUMBERS, 1));
        let mut out = [0; 3];
        let filled = ids.fill(NOW, &mut out);
        let theirs = thread.join().unwrap();
        let mine = out.iter().filter(|id| **id > 0);
        let mine = mine.map(|id| Run { positions: Range::new(*id, id + 1), worker: 0 }).collect();
        let after = draws(&line, Shape::NUMBERS, 3);
        assert!(filled.is_ok(), "four were there, and another thread took one");
        check(&[mine, theirs, after], |_, number| matches!(number, 1..3 | 7..9));
    });
}

fn grant_numbers(ids: &mut Segment<Arc<SharedLine>>, range: Range, n: u8) {
    let Some(Action::Ask(ask)) = ids.poll(NOW, [n; 16]) else { panic!() };
    let request = ask.request;
    let grant = SegmentGrant {
        request,
        store: Token::new([7; 16]),
        tag: Name::tag("model").unwrap(),
        range,
        step: 2,
        max_step: 4,
        remaining: 90,
        now: STORE_NOW,
    };
    ids.handle(Event::Answer { request, sent: NOW, answer: Ok(grant) }, NOW).unwrap();
}

//! The cost of one ID in the core, beside the floor of each face in the same run.
//!
//! `cargo run --release -p leafid-benches --bin core`

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use leafid_benches::measure::{table, work};
use leafid_core::{
    Action, Ask, Event, HostTime, Ids, Layout, Line, Name, OwnLine, Range, Segment, SegmentConfig,
    SegmentGrant, SharedLine, Snowflake, SnowflakeConfig, StoreTime, Token, WindowGrant,
};

const NOW: HostTime = HostTime::new(0);
const STORE_NOW: StoreTime = StoreTime::new(1_800_000_000_000);
const STORE: Token = Token::new([2; 16]);

fn main() {
    let atomic = AtomicU64::new(0);
    let swapped = AtomicU64::new(0);
    let mut own = segment(OwnLine::new());
    let line = SharedLine::new();
    let shared = segment(&line);
    let numbers = shared.ids().expect("numbers need no layout");
    let mut own_flake = snowflake(OwnLine::new());
    let flake_line = SharedLine::new();
    let flake = snowflake(&flake_line);
    let mut stamp = flake.ids().expect("a window was acquired");
    // 1,024 calls per ms: a division would be a tenth of the time measured.
    let mut shared_now = 0i64;
    // 1,024 calls per ms: a division by 1,000 would be a tenth of the time measured.
    let mut own_now = 0i64;

    table(
        "one ID, one thread",
        vec![
            work("one atomic add (the floor)", 1, || atomic.fetch_add(1, Ordering::Relaxed)),
            work("one compare-and-swap", 1, || {
                let c = swapped.load(Ordering::Acquire);
                swapped.compare_exchange(c, c + 1, Ordering::AcqRel, Ordering::Acquire).unwrap_or(c)
            }),
            work("segment, one owner: next", 1, || own.next(NOW).unwrap_or(0)),
            work("segment, shared: run of 1", 1, || {
                { numbers }.run(&mut { &line }, NOW, 1).map_or(0, |run| run.positions.start)
            }),
            work("segment, shared: runs of 64", 64, || {
                { numbers }.run(&mut { &line }, NOW, 64).map_or(0, |run| run.positions.start)
            }),
            work("snowflake, one owner: next, clock passed in", 1, || {
                own_now += 1;
                own_flake.next(NOW.plus(own_now >> 10)).expect("inside the window")
            }),
            work("snowflake, shared: run of 1, clock passed in", 1, || {
                shared_now += 1;
                let run = stamp.run(&mut { &flake_line }, NOW.plus(shared_now >> 10), 1);
                run.map(|run| stamp.id(run.positions.start, run.worker)).expect("inside the window")
            }),
        ],
    );

    let by_both = AtomicU64::new(0);
    let both_line = SharedLine::new();
    let stamp = snowflake(&both_line).ids().expect("a window was acquired");
    let mut began = 0i64;
    table(
        "one ID, two threads",
        vec![
            work("one atomic add (the floor)", 2 * EACH, || {
                by_two(|| || by_both.fetch_add(1, Ordering::Relaxed))
            }),
            work("segment, shared: run of 1", 2 * EACH, || {
                by_two(|| {
                    let (mut numbers, line) = (numbers, &line);
                    move || numbers.run(&mut { line }, NOW, 1).map_or(0, |run| run.positions.start)
                })
            }),
            work("snowflake, shared: run of 1, clock passed in", 2 * EACH, || {
                began += EACH as i64;
                by_two(|| {
                    let (mut stamp, mut now, line) = (stamp, began, &both_line);
                    move || {
                        now += 1;
                        let run = stamp.run(&mut { line }, NOW.plus(now >> 10), 1);
                        let run = run.expect("inside the window");
                        stamp.id(run.positions.start, run.worker)
                    }
                })
            }),
        ],
    );

    let mut plain = vec![0u64; 1_024];
    let mut buffer = vec![0u64; 1_024];
    let mut stamped = vec![0u64; 1_024];
    let mut bulk = segment(OwnLine::new());
    let mut bulk_flake = snowflake(OwnLine::new());
    let (mut next, mut bulk_now) = (0u64, 0i64);
    table(
        "1,024 IDs into a slice",
        vec![
            work("counting into a slice (the floor)", 1_024, || {
                for place in &mut plain {
                    *place = next;
                    next += 1;
                }
                std::hint::black_box(&plain)[7]
            }),
            work("segment: fill", 1_024, || {
                bulk.fill_available(NOW, &mut buffer).expect("numbers are at hand") as u64
            }),
            work("snowflake: fill", 1_024, || {
                bulk_now += 1;
                bulk_flake
                    .fill_available(NOW.plus(bulk_now), &mut stamped)
                    .expect("inside the window") as u64
            }),
        ],
    );
}

/// IDs that each of two threads draws per call.
const EACH: u64 = 100_000;

/// Draws in two threads at once, each with its own drawer.
fn by_two<D: FnMut() -> u64 + Send>(drawer: impl Fn() -> D) -> u64 {
    let draw = |mut drawer: D| (0..EACH).map(|_| black_box(drawer())).fold(0, u64::max);
    thread::scope(|scope| {
        let (here, there) = (drawer(), drawer());
        let there = scope.spawn(|| draw(there));
        draw(here).max(there.join().expect("a drawer does not panic"))
    })
}

/// A segment with more numbers than the run needs: one lease of 2^62.
fn segment<L: Line>(line: L) -> Segment<L> {
    let mut segment =
        Segment::with_line(SegmentConfig::new("bench").expect("a tag"), 7, line).expect("a config");
    let Some(Action::Ask(ask)) = segment.poll(NOW, [1; 16]) else { panic!("the first ask") };
    let request = ask.request;
    let grant = SegmentGrant {
        request,
        store: STORE,
        tag: Name::tag("bench").expect("a tag"),
        range: Range::new(1, 1 << 62),
        step: 1_000,
        max_step: 1_000_000,
        remaining: 1 << 62,
        now: STORE_NOW,
    };
    let event = Event::Answer { request, sent: NOW, answer: Ok(grant) };
    segment.handle(event, NOW).expect("a good grant");
    segment
}

/// A snowflake with a window that lasts longer than the run: a day.
fn snowflake<L: Line>(line: L) -> Snowflake<L> {
    let config = SnowflakeConfig::new("bench", "bench").expect("a namespace");
    let mut ids = Snowflake::with_line(config, 7, line).expect("a config");
    let asked = ids.poll(NOW, [1; 16]);
    let request = asked.and_then(Action::ask).map(|ask| Ask::from(ask).request());
    let request = request.expect("the first ask");
    let tick = Layout::LEAF.tick(STORE_NOW).expect("a moment of the layout");
    let grant = WindowGrant {
        request,
        store: STORE,
        worker: 7,
        ticks: Range::new(tick, tick + 86_400_000),
        layout: Layout::LEAF,
        now: STORE_NOW,
        max_window_ms: 86_400_000,
    };
    let event = Event::Answer { request, sent: NOW, answer: Ok(grant) };
    ids.handle(event, NOW).expect("a good grant");
    ids
}

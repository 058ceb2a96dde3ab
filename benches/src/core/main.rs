//! What one ID costs in the core, beside the floor of each face in the same run.
//!
//! `cargo run --release -p leafid-benches --bin core`

#[path = "../measure.rs"]
mod measure;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use leafid_core::{
    HostTime, Ids, Layout, MemoryStore, Segment, SegmentConfig, SharedLine, Snowflake,
    SnowflakeConfig, StoreTime, refill,
};
use measure::{Work, in_turns, print};

const NOW: HostTime = HostTime::new(0);
const STORE_NOW: StoreTime = StoreTime::new(1_800_000_000_000);

fn store() -> MemoryStore {
    let mut store = MemoryStore::new([1; 16]);
    store.set_clock(STORE_NOW);
    store
}

fn main() {
    let start = Instant::now();
    let wall = || start.elapsed().as_nanos();
    let atomic = AtomicU64::new(0);
    let swapped = AtomicU64::new(0);
    let mut own = segment(leafid_core::OwnLine::new());
    let line = SharedLine::new();
    let shared = segment(&line);
    let numbers = shared.ids().expect("numbers need no layout");
    let mut own_flake = snowflake(leafid_core::OwnLine::new());
    let flake_line = SharedLine::new();
    let flake = snowflake(&flake_line);
    let stamp = flake.ids().expect("a window was acquired");
    let mut shared_now = 0i64;
    let mut own_now = 0i64;

    let one = in_turns(
        vec![
            work("one atomic add (the floor)", 1, || atomic.fetch_add(1, Ordering::Relaxed)),
            work("one compare-and-swap", 1, || {
                let c = swapped.load(Ordering::Acquire);
                swapped.compare_exchange(c, c + 1, Ordering::AcqRel, Ordering::Acquire).unwrap_or(c)
            }),
            work("segment, one owner: next", 1, || own.next(NOW).unwrap_or(0)),
            work("segment, shared: run of 1", 1, || {
                numbers.run(&mut { &line }, NOW, 1).map_or(0, |run| run.positions.start)
            }),
            work("segment, shared: runs of 64", 64, || {
                numbers.run(&mut { &line }, NOW, 64).map_or(0, |run| run.positions.start)
            }),
            work("snowflake, one owner: next, clock passed in", 1, || {
                own_now += 1;
                own_flake.next(NOW.plus(own_now / 1_000)).expect("inside the window")
            }),
            work("snowflake, shared: run of 1, clock passed in", 1, || {
                shared_now += 1;
                let run = stamp.run(&mut { &flake_line }, NOW.plus(shared_now / 1_000), 1);
                run.map(|run| stamp.id(run.positions.start, run.worker)).expect("inside the window")
            }),
        ],
        4,
        wall,
    );
    print("one ID, one thread", &one);

    let mut plain = vec![0u64; 1_024];
    let mut buffer = vec![0u64; 1_024];
    let mut stamped = vec![0u64; 1_024];
    let mut bulk = segment(leafid_core::OwnLine::new());
    let mut bulk_flake = snowflake(leafid_core::OwnLine::new());
    let (mut next, mut bulk_now) = (0u64, 0i64);
    let filled = in_turns(
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
        4,
        wall,
    );
    print("1,024 IDs into a slice", &filled);
}

fn work<'a>(name: &'a str, ids: u64, run: impl FnMut() -> u64 + 'a) -> Work<'a> {
    Work { name, ids, run: Box::new(run) }
}

/// A segment with more numbers than the run needs: one lease of 2^62.
fn segment<L: leafid_core::Line>(line: L) -> Segment<L> {
    let mut segment =
        Segment::with_line(SegmentConfig::new("bench").expect("a tag"), 7, line).expect("a config");
    let ask = segment.poll_ask(NOW, [1; 16]).expect("the first ask");
    let grant = leafid_core::SegmentGrant {
        request: ask.request(),
        store: leafid_core::Token::new([2; 16]),
        tag: leafid_core::Name::tag("bench").expect("a tag"),
        range: leafid_core::Range::new(1, 1 << 62),
        step: 1_000,
        max_step: 1_000_000,
        remaining: 1 << 62,
        now: STORE_NOW,
    };
    segment.handle_grant(&leafid_core::Grant::Segment(grant), NOW, NOW).expect("a good grant");
    segment
}

/// A snowflake whose window lasts a day.
fn snowflake<L: leafid_core::Line>(line: L) -> Snowflake<L> {
    let mut config = SnowflakeConfig::new("bench", "bench").expect("a namespace");
    config.layout = Some(Layout::LEAF);
    let mut ids = Snowflake::with_line(config, 7, line).expect("a config");
    let name = leafid_core::Name::namespace("bench").expect("a namespace");
    let mut store = store();
    store.create_namespace(name, Layout::LEAF, Some(86_400_000)).expect("a namespace");
    refill(&mut ids, &mut store, || NOW, || [1; 16]).expect("a window");
    refill(&mut ids, &mut store, || NOW.plus(2_000), || [2; 16]).expect("all of it");
    ids
}

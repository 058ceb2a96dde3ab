//! Snowflake generators against a naive oracle: a set of the positions at hand.
//!
//! The clocks stand, go back, leap, and reach the ends of 64 bits; windows have few ticks, ticks
//! few IDs, so that everything runs out all the time.

mod bench;
#[path = "../common/mod.rs"]
mod common;
mod events;
mod oracle;

use leafid_core::{
    Code, Grant, HostTime, Layout, Line, Outcome, OwnLine, Range, SharedLine, Snowflake,
    SnowflakeConfig, StoreTime, WindowGrant,
};
use proptest::prelude::*;

use bench::Bench;
use common::{Tally, check, entropy, token};
use events::{Event, events};
use oracle::Oracle;

/// Where a run begins.
#[derive(Clone, Debug)]
struct Start {
    layout: Layout,
    max_ahead_ms: u32,
    /// The store's clock, in ticks since the epoch, and the host's.
    tick: u64,
    host: i64,
}

fn starts() -> impl Strategy<Value = Start> {
    let layout = (
        prop::sample::select(&[0i64, 1_800_000_000_000][..]),
        prop::sample::select(&[1u32, 10, 1_000][..]),
        prop::sample::select(&[8u8, 12, 41][..]),
        0u8..=2,
        0u8..=5,
    );
    let host = prop::sample::select(&[0i64, -5, 1 << 60, i64::MIN, 1_800_000_000_000][..]);
    (layout, prop::sample::select(&[0u32, 1, 5, 25, 1_000][..]), 0u64..200, host).prop_map(
        |((epoch_ms, tick_ms, time, worker, sequence), max_ahead_ms, tick, host)| Start {
            layout: Layout::new(epoch_ms, tick_ms, time, worker, sequence).unwrap(),
            max_ahead_ms,
            tick,
            host,
        },
    )
}

fn replay<L: Line>(
    line: L,
    remembers: bool,
    start: &Start,
    events: &[Event],
    tally: &Tally,
) -> Result<(), TestCaseError> {
    let mut config = SnowflakeConfig::new("default", "host/1").unwrap();
    config.layout = Some(start.layout);
    config.max_ahead_ms = start.max_ahead_ms;
    config.spread = Some(0);
    let mut bench = Bench {
        generator: Snowflake::with_line(config, 1, line).unwrap(),
        oracle: Oracle::default(),
        layout: start.layout,
        max_ahead_ms: start.max_ahead_ms,
        host: start.host,
        store: start.layout.time(start.tick).get(),
        offset: None,
        not_before: i64::MIN,
        remembers,
        known: None,
        lease: None,
        asked: 0,
        tally: [0; 4],
    };
    for event in events {
        bench.take(event)?;
    }
    bench.check()?;
    bench.tally[0] = bench.generator.stats().ids;
    for (name, n) in ["ids", "refusals", "windows", "garbage"].into_iter().zip(bench.tally) {
        tally.add(name, n);
    }
    let release = bench.generator.retire();
    let closed = bench.generator.next(HostTime::new(bench.host)).unwrap_err().code;
    prop_assert_eq!(closed, bench.oracle.stopped.unwrap_or(Code::Closed));
    let lease = bench.lease.filter(|_| bench.oracle.stopped.is_none());
    prop_assert_eq!(release.map(|release| release.key), lease);
    if let Some(release) = release {
        let unused = bench.oracle.cursor.div_ceil(start.layout.per_tick()).min(bench.oracle.end);
        prop_assert_eq!((release.worker, release.unused_from), (bench.oracle.worker, unused));
    }
    Ok(())
}

#[test]
fn positions_are_handed_out_as_the_oracle_does() {
    let floors = [("ids", 2000), ("windows", 200), ("refusals", 300), ("garbage", 100)];
    check(file!(), 1_000, (events(), starts()), &floors, |(events, start), tally| {
        replay(OwnLine::new(), true, &start, &events, tally)?;
        let line = SharedLine::new();
        replay(&line, false, &start, &events, tally)
    });
}

/// With the spread on, IDs still ascend, lie in the window, and are never later than allowed.
#[test]
fn the_spread_only_skips() {
    let moves = prop::collection::vec((0i64..20, 1usize..50), 1..60);
    let inputs = (moves, any::<u64>(), prop::option::of(0u32..70), 0u32..30);
    check(file!(), 500, inputs, &[("ids", 10000)], |(moves, seed, spread, max_ahead_ms), tally| {
        let layout = Layout::EDGE;
        let mut config = SnowflakeConfig::new("default", "host/1").unwrap();
        (config.spread, config.max_ahead_ms) = (spread, max_ahead_ms);
        let mut ids = Snowflake::new(config, seed).unwrap();
        let (mut now, mut store_now) = (HostTime::new(0), StoreTime::new(1_800_000_000_000));
        let ask = ids.poll_ask(now, entropy(1)).unwrap();
        let tick = layout.tick(store_now).unwrap();
        let grant = Grant::Window(WindowGrant {
            request: ask.request(),
            store: token(0),
            worker: 9,
            ticks: Range::new(tick, tick + 300),
            layout,
            now: store_now,
            max_window_ms: 600_000,
        });
        prop_assert_eq!(ids.handle_grant(&grant, now, now), Ok(Outcome::Applied));
        let mut last = None;
        for (ms, n) in moves {
            (now, store_now) = (now.plus(ms), store_now.plus(ms));
            let mut some = vec![0; n];
            let filled = ids.fill_available(now, &mut some).unwrap_or(0);
            tally.add("ids", filled as u64);
            for id in &some[..filled] {
                prop_assert!(last.is_none_or(|last| last < *id));
                last = Some(*id);
                let parts = layout.decompose(*id).unwrap();
                prop_assert!((tick..tick + 300).contains(&parts.tick) && parts.worker == 9);
                prop_assert!(parts.time >= store_now);
                prop_assert!(parts.time <= store_now.plus(max_ahead_ms.into()));
            }
        }
        Ok(())
    });
}

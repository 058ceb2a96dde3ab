//! Holders and their store over minutes: cases that the vectors do not have.

use leafid_core::registry::TagSpec;
use leafid_core::{
    Action, Code, Generator, HostTime, Kind, Layout, Line, MemoryStore, Name, Refusal, Segment,
    SegmentConfig, Snowflake, SnowflakeConfig, StoreTime, WindowAsk, refill,
};

const START: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

fn store() -> MemoryStore<4, 2, 32> {
    MemoryStore::new([1; 16])
}

fn config() -> SnowflakeConfig {
    SnowflakeConfig::new("default", "host/1").expect("names")
}

/// Carries an ask, if one is due: it leaves at `sent` and its answer comes `trip` ms later.
fn carry<K: Kind, L: Line>(
    ids: &mut Generator<K, L>,
    store: &mut MemoryStore<4, 2, 32>,
    (sent, trip): (i64, i64),
) -> Result<bool, Refusal> {
    store.set_clock(StoreTime::new(START + sent + trip / 2));
    let mut times = [sent, sent + trip].into_iter();
    let clock = || HostTime::new(times.next().unwrap_or(sent + trip));
    // A request id for each time.
    refill(ids, store, clock, || i128::from(sent).to_be_bytes())
}

#[test]
fn a_first_window_is_no_longer_than_its_holder_wants_nor_than_10_s() {
    for (wants, asks) in [(None, 10_000), (Some(4_000), 4_000), (Some(90_000), 10_000)] {
        let config = SnowflakeConfig { length_ms: wants, ..config() };
        let mut ids = Snowflake::new(config, 7).expect("it is right");
        let asked = ids.poll(HostTime::new(0), [1; 16]);
        let Some(Action::Ask(WindowAsk::Acquire(ask))) = asked else { panic!() };
        assert_eq!(ask.length_ms, Some(asks), "{wants:?}");
    }
}

/// Checks that `n` IDs at once, or the most that can be had, are there within ten minutes, from a
/// store that answers in 50 ms.
fn can_have(max_window_ms: u32, max_ahead_ms: u32, n: Option<u64>) -> Result<(), Refusal> {
    let mut store = store();
    let namespace = Name::namespace("short").expect("a name");
    store.create_namespace(namespace, Layout::LEAF, Some(max_window_ms)).expect("a new one");
    let config = SnowflakeConfig { namespace, max_ahead_ms, ..config() };
    let mut ids = Snowflake::new(config, 7).expect("it is right");
    let mut last = Err(Refusal::new(Code::WindowSpent));
    for at in (0..600_000).step_by(50) {
        let _ = carry(&mut ids, &mut store, (at, 50));
        last = ids.ready(HostTime::new(at + 50), n.unwrap_or(ids.most()));
        if last.is_ok() || last == Err(Code::CountInvalid.into()) {
            return last;
        }
    }
    last
}

#[test]
fn what_is_said_grantable_at_most_can_be_had() {
    for (max_window_ms, max_ahead_ms) in
        [(1_000, 1_000), (1_000, 3_000), (1_000, 0), (5_000, 3_000), (600_000, 1_000)]
    {
        let had = can_have(max_window_ms, max_ahead_ms, None);
        assert_eq!(had, Ok(()), "windows of {max_window_ms} ms, {max_ahead_ms} ms ahead");
    }
    let refusal = can_have(1_000, 3_000, Some(2_000 * 4_096)).unwrap_err();
    assert_eq!(refusal.code, Code::CountInvalid, "more than a window holds is not waited for");
}

#[test]
fn a_window_that_ran_out_is_asked_for_within_a_second() {
    let (mut store, mut ids) = (store(), Snowflake::new(config(), 7).expect("it is right"));
    for at in (0..100_000).step_by(100) {
        let _ = carry(&mut ids, &mut store, (at, 0));
    }
    assert!(ids.next(HostTime::new(100_000)).is_ok());
    // One reading that is an hour ahead; the next are right again.
    assert_eq!(ids.next(HostTime::new(100_000 + HOUR)).unwrap_err().code, Code::WindowSpent);
    let waited = (100_000..200_000).step_by(10).find(|at| {
        let _ = carry(&mut ids, &mut store, (*at, 0));
        ids.next(HostTime::new(*at)).is_ok()
    });
    assert!(waited.is_some_and(|at| at <= 101_010), "{waited:?}");
}

#[test]
fn a_caller_that_left_wants_nothing_more_of_a_tag_that_ended() {
    let mut store = store();
    let spec = TagSpec { step: Some(10), until: Some(16), ..TagSpec::default() };
    store.create_tag(Name::tag("orders").expect("a name"), &spec).expect("a new tag");
    let config = SegmentConfig::new("orders").expect("a tag");
    let mut ids = Segment::new(config, 1).expect("it is right");
    // The generator learns the tag's end from the first grant: until then 100 seem possible.
    assert_eq!(ids.ready(HostTime::new(0), 100).unwrap_err().code, Code::SegmentDry);
    assert_eq!(carry(&mut ids, &mut store, (0, 0)), Ok(true));
    assert_eq!(ids.stats().in_hand, 15, "all there was");
    assert!((0..60_000).all(|at| !ids.wants(HostTime::new(at))), "15 of 15 are at hand");
}

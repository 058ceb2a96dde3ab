//! How long the windows are that a snowflake generator asks for, and what they can give.

use leafid_core::{
    Ask, Code, HostTime, Layout, MemoryStore, Name, Refusal, Snowflake, SnowflakeConfig, StoreTime,
};

use crate::{carry, fresh};

const START: i64 = 1_800_000_000_000;

fn config() -> SnowflakeConfig {
    SnowflakeConfig::new("default", "host/1").expect("names")
}

/// What is asked for after so many ms of life.
fn asked_after(config: SnowflakeConfig, age_ms: i64) -> Option<u32> {
    let (mut store, mut counter) = (MemoryStore::<4, 2, 32>::new([1; 16]), 0);
    let mut ids = Snowflake::new(config, 7).expect("it is right");
    let mut at = 0;
    loop {
        let ask = ids.poll_ask(HostTime::new(at), fresh(&mut counter));
        if at >= age_ms {
            return match ask.expect("something is due") {
                Ask::Acquire(ask) => ask.length_ms,
                Ask::Renew(ask) => ask.length_ms,
                Ask::Segment(_) => panic!("a snowflake leases no numbers"),
            };
        }
        if let Some(ask) = ask {
            store.set_clock(StoreTime::new(START + at));
            let grant = leafid_core::Store::ask(&mut store, &ask).expect("it grants");
            ids.handle_grant(&grant, HostTime::new(at), HostTime::new(at)).expect("it is applied");
        }
        at = ids.poll_at().expect("renewed by time").get();
    }
}

#[test]
fn windows_grow_with_their_holder() {
    assert_eq!(asked_after(config(), 0), Some(10_000));
    let at = |age| f64::from(asked_after(config(), age).expect("not yet all that there is"));
    for age in [10_000, 60_000, 200_000] {
        let ratio = at(age) / age as f64;
        assert!((2.0..=4.0).contains(&ratio), "{ratio} at the age of {age} ms");
    }
}

#[test]
fn no_window_is_longer_than_the_holder_wants() {
    let short = SnowflakeConfig { length_ms: Some(4_000), ..config() };
    assert_eq!(asked_after(short, 0), Some(4_000));
    let long = SnowflakeConfig { length_ms: Some(90_000), ..config() };
    assert_eq!(asked_after(long, 0), Some(10_000));
    assert_eq!(asked_after(long, 500_000), Some(90_000));
}

#[test]
fn a_child_is_as_young_as_its_first_ask() {
    let (mut store, mut counter) = (MemoryStore::<4, 2, 32>::new([1; 16]), 0);
    let mut ids = Snowflake::new(config(), 7).expect("it is right");
    for at in (0..600_000).step_by(100) {
        store.set_clock(StoreTime::new(START + at));
        let _ = carry(&mut ids, &mut store, (at, at), &mut counter);
    }
    ids.forget();
    match ids.poll_ask(HostTime::new(600_000), fresh(&mut counter)) {
        Some(Ask::Acquire(ask)) => assert_eq!(ask.length_ms, Some(10_000)),
        other => panic!("{other:?}"),
    }
}

/// Whether `n` IDs at once can be had within ten minutes, from a store that answers in 50 ms.
fn can_have(max_window_ms: u32, max_ahead_ms: u32, n: u64) -> Result<i64, Refusal> {
    let (mut store, mut counter) = (MemoryStore::<4, 2, 32>::new([1; 16]), 0);
    store.set_clock(StoreTime::new(START));
    let namespace = Name::namespace("short").expect("a name");
    store.create_namespace(namespace, Layout::LEAF, Some(max_window_ms)).expect("a new one");
    let config = SnowflakeConfig { namespace, max_ahead_ms, ..config() };
    let mut ids = Snowflake::new(config, 7).expect("it is right");
    let mut last = Refusal::new(Code::WindowSpent);
    for at in (0..600_000).step_by(50) {
        store.set_clock(StoreTime::new(START + at + 25));
        let _ = carry(&mut ids, &mut store, (at, at + 50), &mut counter);
        let now = HostTime::new(at + 50);
        match ids.ready(now, if n == 0 { ids.most() } else { n }) {
            Ok(()) => return Ok(at),
            Err(refusal) if refusal.code == Code::CountInvalid => return Err(refusal),
            Err(refusal) => last = refusal,
        }
    }
    Err(last)
}

#[test]
fn what_is_said_to_be_had_at_most_can_be_had() {
    for (max_window_ms, max_ahead_ms) in
        [(1_000, 1_000), (1_000, 3_000), (1_000, 0), (5_000, 3_000), (600_000, 1_000)]
    {
        let had = can_have(max_window_ms, max_ahead_ms, 0);
        println!("windows of {max_window_ms} ms, {max_ahead_ms} ms ahead: {had:?}");
        assert!(had.is_ok(), "windows of {max_window_ms} ms, {max_ahead_ms} ms ahead: {had:?}");
    }
    // More than a window holds is refused, not waited for.
    let refusal = can_have(1_000, 3_000, 2_000 * 4_096).unwrap_err();
    assert_eq!(refusal.code, Code::CountInvalid);
}

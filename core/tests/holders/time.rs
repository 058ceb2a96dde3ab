//! Clocks that leap, and stores that are slow to answer.

use leafid_core::{Code, HostTime, MemoryStore, Snowflake, SnowflakeConfig, StoreTime};

use crate::carry;

const START: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

fn snowflake() -> Snowflake {
    Snowflake::new(SnowflakeConfig::new("default", "host/1").expect("names"), 7).expect("right")
}

/// Until when after a leap of the host's clock there is no ID, where every answer takes `trip` ms.
fn recovers_after_a_leap(trip: i64) -> Option<i64> {
    let (mut store, mut ids, mut counter) = (MemoryStore::<4, 2, 32>::new([1; 16]), snowflake(), 0);
    // The host's clock is ahead of true time by this.
    let mut leap = 0;
    let mut at = 0;
    while at < 3 * HOUR {
        if at == 60_000 {
            leap = HOUR;
        }
        let host = at + leap;
        if at > 60_000 && ids.next(HostTime::new(host)).is_ok() {
            return Some(at - 60_000);
        }
        store.set_clock(StoreTime::new(START + at + trip / 2));
        let _ = carry(&mut ids, &mut store, (host, host + trip), &mut counter);
        let _ = ids.next(HostTime::new(host + trip));
        at += 100.max(trip);
        at -= at % 100;
    }
    None
}

#[test]
fn a_leap_is_mended_by_answers_however_slow_they_are() {
    for trip in [2, 900, 1_100, 2_500] {
        let recovered = recovers_after_a_leap(trip);
        println!("every answer takes {trip} ms: IDs again {recovered:?} ms after the leap");
        assert!(recovered.is_some_and(|ms| ms <= 20_000), "{trip} ms: {recovered:?}");
    }
}

#[test]
fn a_window_that_ran_out_is_asked_for_within_a_second() {
    let (mut store, mut ids, mut counter) = (MemoryStore::<4, 2, 32>::new([1; 16]), snowflake(), 0);
    for at in (0..100_000).step_by(100) {
        store.set_clock(StoreTime::new(START + at));
        let _ = carry(&mut ids, &mut store, (at, at), &mut counter);
    }
    assert!(ids.next(HostTime::new(100_000)).is_ok());
    // One reading that is an hour ahead; the next are right again.
    assert_eq!(ids.next(HostTime::new(100_000 + HOUR)).unwrap_err().code, Code::WindowSpent);
    let waited = (100_000..200_000).step_by(10).find(|at| {
        store.set_clock(StoreTime::new(START + at));
        let _ = carry(&mut ids, &mut store, (*at, *at), &mut counter);
        ids.next(HostTime::new(*at)).is_ok()
    });
    println!("IDs again at {waited:?}");
    assert!(waited.is_some_and(|at| at <= 101_010), "{waited:?}");
}

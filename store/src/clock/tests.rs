use std::sync::atomic::Ordering;

use leafid_core::StoreTime;

use super::*;

fn read(time: &mut RegistryTime, clock: &ManualClock) -> i64 {
    time.read(clock, || 600_000).0.get()
}

/// PROTOCOL R19.
#[test]
fn time_goes_on_through_a_clock_that_is_set_back() {
    let clock = ManualClock::at(StoreTime::new(1_000_000));
    let mut time = RegistryTime::start(StoreTime::new(0), &clock);
    clock.step_wall(-3_600_000);
    assert_eq!(read(&mut time, &clock), 1_000_000);
    clock.boot.fetch_add(500, Ordering::SeqCst);
    assert_eq!(read(&mut time, &clock), 1_000_500);
}

#[test]
fn a_leap_is_believed_only_after_a_window() {
    let clock = ManualClock::at(StoreTime::new(1_000_000));
    let mut time = RegistryTime::start(StoreTime::new(0), &clock);
    clock.step_wall(3_600_000);
    let (now, leap) = time.read(&clock, || 600_000);
    assert_eq!((now.get(), leap), (1_000_000, Some(3_600_000)));
    for _ in 0..599 {
        clock.boot.fetch_add(1_000, Ordering::SeqCst);
        clock.step_wall(1_000);
        read(&mut time, &clock);
    }
    assert_eq!(read(&mut time, &clock), 1_599_000);
    clock.boot.fetch_add(1_000, Ordering::SeqCst);
    clock.step_wall(1_000);
    assert_eq!(read(&mut time, &clock), 5_200_000);
}

#[test]
fn a_leap_that_is_taken_back_was_none() {
    let clock = ManualClock::at(StoreTime::new(1_000_000));
    let mut time = RegistryTime::start(StoreTime::new(0), &clock);
    clock.step_wall(3_600_000);
    read(&mut time, &clock);
    clock.step_wall(-3_600_000);
    assert_eq!(read(&mut time, &clock), 1_000_000);
    clock.step_wall(30_000);
    assert_eq!(read(&mut time, &clock), 1_030_000);
}

#[test]
fn a_pause_is_no_step_and_a_restart_begins_above_what_was_written() {
    let clock = ManualClock::at(StoreTime::new(1_000_000));
    let mut time = RegistryTime::start(StoreTime::new(2_000_000), &clock);
    assert_eq!(read(&mut time, &clock), 2_000_000);
    clock.set(StoreTime::new(9_000_000));
    assert_eq!(read(&mut time, &clock), 10_000_000);
}

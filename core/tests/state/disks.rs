//! State files on disks that fail. The simulator tests slow ones.

use leafid_core::{Code, Event, Layout, Name, Outcome, StateWrite, StoreTime, refill};

use crate::{
    Disk, START, due, generator, is_answered, is_refused, leased, ms, record, running, tick, worker,
};

#[test]
fn what_is_reserved_on_a_slow_disk_has_its_bounds() {
    for (length_ms, most) in [(10_000, 5_000), (120_000, 30_000)] {
        let mut disk = Disk::new();
        let mut ids = generator();
        let mut old = record();
        (old.namespace, old.layout) = (Name::namespace("default").unwrap(), Layout::LEAF);
        old.reserved = Layout::LEAF.tick(StoreTime::new(START)).unwrap();
        (old.end, old.now) = (old.reserved + length_ms, StoreTime::new(START));
        ids.keep(Some(old), ms(0)).unwrap();
        let write = due(&mut ids, ms(0)).unwrap();
        disk.put(&write);
        // A write longer than the window would count the same as one of half of it.
        let late = ms(length_ms as i64 / 2);
        assert_eq!(ids.handle(Event::Written, late), Ok(Outcome::Applied));
        disk.save(&mut ids, late);
        let ahead = disk.found().unwrap().unwrap().reserved - old.reserved - length_ms / 2;
        assert!((most - 3..=most + 1).contains(&ahead), "{length_ms}: {ahead}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_abandoned_for_another_window() {
    // `landed`: whether the write that failed is on the disk all the same.
    for landed in [false, true] {
        let mut disk = Disk::new();
        let (mut ids, mut store) = running(&mut disk);
        let old = worker(ids.next(ms(0)).unwrap());
        let reserved = disk.found().unwrap().unwrap().reserved;
        let write = due(&mut ids, ms(600)).unwrap();
        if landed {
            disk.put(&write);
        }
        for told in [Outcome::Applied, Outcome::Ignored] {
            assert_eq!(ids.handle(Event::NotWritten, ms(600)), Ok(told));
        }
        assert_eq!(ids.stats().state_code, Some(Code::StateInvalid));
        // What was reserved is used up, and nothing beyond it, which a next run may use.
        let last = ids.next(ms(1_000)).unwrap();
        assert!(worker(last) == old && tick(last) < reserved);
        assert_eq!(ids.next(ms(1_001)).unwrap_err().code, Code::WindowSpent);
        store.set_clock(StoreTime::new(START + 1_001));
        assert_eq!(refill(&mut ids, &mut store, || ms(1_001), || [3; 16]), Ok(true));
        let next = ids.next(ms(1_001)).unwrap();
        assert!(next > last && worker(next) != old);
        assert_eq!((due(&mut ids, ms(1_001)), ids.poll_from()), (None, u64::MAX), "no more writes");
        // It ends like a generator without a file, and the next run goes on above all that was used.
        let release = ids.retire().unwrap();
        assert_eq!((release.worker, due(&mut ids, ms(2_000))), (worker(next), None));
        let mut again = disk.restart(ms(2_000));
        disk.save(&mut again, ms(2_000));
        let after = again.next(ms(2_000)).unwrap();
        assert!(worker(after) == old && tick(after) > reserved);
    }
}

#[test]
fn a_first_write_that_fails_costs_the_window_that_it_may_name() {
    let mut disk = Disk::new();
    let (mut ids, mut store) = leased(&mut disk);
    let Some(StateWrite::Record(named)) = due(&mut ids, ms(0)) else { panic!() };
    assert_eq!(ids.handle(Event::NotWritten, ms(0)), Ok(Outcome::Applied));
    assert!(ids.next(ms(0)).is_err());
    refill(&mut ids, &mut store, || ms(0), || [3; 16]).unwrap();
    assert_ne!(worker(ids.next(ms(0)).unwrap()), named.worker);
    // The file is still voided after `forget`, as a clone of the machine may have it.
    ids.forget();
    assert!(ids.is_voiding());
    assert_eq!(disk.save(&mut ids, ms(0)), 1);
    assert!(!ids.is_voiding());
}

#[test]
fn a_window_the_file_never_named_opens_when_an_earlier_write_fails() {
    let mut disk = Disk::new();
    let (mut ids, mut store) = running(&mut disk);
    let now = is_refused(&mut ids, &mut disk, Code::LeaseLost).plus(600);
    assert!(due(&mut ids, now).is_some());
    is_answered(&mut ids, &mut store, now);
    assert_eq!(ids.handle(Event::NotWritten, now), Ok(Outcome::Applied));
    assert!(ids.next(now).is_ok(), "the file has never named it");
}

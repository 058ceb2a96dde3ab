//! Servers with journals over one file: they know of each other, and nothing is granted twice after the file
//! went back to an earlier state. Time passes only where a test lets it.

#[path = "register/world.rs"]
mod world;

use std::future::Future;
use std::task::{Context, Waker};
use std::time::Duration;

use leafid_core::registry::DEFAULT_MAX_STEP;
use leafid_core::{Code, Range, SegmentAsk};
use leafid_store::clock::Clock;
use leafid_store::fence::file;
use leafid_store::store::TagChange;

use world::*;

#[test]
fn a_server_alone_has_nothing_ahead_at_rest_and_stops_with_a_small_gap() {
    let mut world = World::new();
    let one = world.server("one");
    for n in 0..4 {
        assert_eq!(world.lease(&[&one]).unwrap(), Range::new(1 + 10 * n, 11 + 10 * n));
        world.clock.set(world.clock.wall().plus(60_000));
        assert_eq!(world.row(), 11 + 10 * n, "nothing is ahead");
    }
    // At a high rate it reserves 10 s of use ahead, at most: that is a gap when it ends.
    for _ in 0..100 {
        world.lease(&[&one]).unwrap();
    }
    drop(one);
    let row = world.row();
    assert!((1_042..=1_041 + 10_000).contains(&row), "{row}");
    assert!(world.records()[0].starts_with("stopped\n"), "{:?}", world.records());
    // With its journal it goes on there; so does a guest.
    let one = world.server("one");
    assert_eq!((world.lease(&[&one]).unwrap().start, one.generation()), (row, 0));
    drop(one);
    assert_eq!(world.lease(&[&world.guest()]).unwrap().start, row + 10);
}

/// PROTOCOL R21, PROTOCOL R22.
#[test]
fn what_a_server_writes_is_answered_once_the_others_have_noted_it() {
    let mut world = World::new();
    let [one, two] = ["one", "two"].map(|name| world.server(name));
    let all = [&one, &two];
    world.pass(&all, 2_000);
    world.lease(&all).unwrap();
    // The next ones come from memory: no time passes.
    let before = world.clock.wall();
    world.lease(&all).unwrap();
    assert_eq!(world.clock.wall(), before);
    let window = world.acquire(&all).unwrap();
    for name in ["one", "two"] {
        let known = file::known(&world.at(name), one.registry.id()).unwrap().remove(0);
        assert_eq!(known.bounds.lines[&(tag(), None)].end, world.row(), "{name}");
        assert_eq!(known.bounds.lines[&(space(), Some(0))].end, window.ticks.end, "{name}");
    }
    // Without the other one nothing is answered: the time of the world stands still, so that it is not
    // dropped.
    two.cut_off(true);
    let asked = one.registry.put_tag(tag(), TagChange { step: Some(11), ..TagChange::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    unavailable(runtime.block_on(asked), &["have not noted the request: two ("]);
    two.cut_off(false);
    let asked = one.registry.put_tag(tag(), TagChange { step: Some(12), ..TagChange::default() });
    assert_eq!(world.wait(&all, asked).unwrap().step, 12);
}

/// Rows alone are put back, and the servers' records are as they left them. PROTOCOL R20.
#[test]
fn a_row_below_its_bound_is_noticed_by_who_writes_it() {
    let [tags, workers] = [&["tags"][..], &["namespaces", "workers"]];
    for (count, tables) in [(1, tags), (1, workers), (2, tags), (2, workers)] {
        let mut world = World::new();
        let all: Vec<_> = ["one", "two"].into_iter().take(count).map(|n| world.server(n)).collect();
        let mut by: Vec<_> = all.iter().collect();
        world.pass(&by, 2_000);
        world.copy();
        for _ in 0..20 {
            world.lease(&by).unwrap();
        }
        world.acquire(&by).unwrap();
        world.put_back(tables);
        by.reverse();
        let refused = world.acquire(&by).unwrap_err();
        assert_eq!(refused.code, Code::WorkersExhausted, "{refused}");
        // What is in hand is still good; after it the row is asked.
        for _ in 0..1_000 {
            world.lease(&by).unwrap();
        }
        assert_eq!(by[0].generation(), 1, "{tables:?}, {count} servers");
    }
}

/// A guest compares nothing, and its write makes the row look newer than the bound. PROTOCOL R22.
#[test]
fn a_window_that_a_guest_was_granted_on_a_row_that_went_back_is_ended() {
    let mut world = World::new();
    let one = world.server("one");
    world.pass(&[&one], 2_000);
    world.copy();
    world.acquire(&[&one]).unwrap();
    world.put_back(&["namespaces", "workers"]);
    let guest = world.guest();
    let refused = world.acquire(&[&guest, &one]).unwrap_err();
    assert_eq!(refused.code, Code::WorkersExhausted, "{refused}");
    assert_eq!(one.generation(), 1);
    // The server writes the row after it: that is no loss.
    world.pass(&[&guest, &one], 120_000);
    world.acquire(&[&guest, &one]).unwrap();
    assert_eq!(one.generation(), 1);
}

/// A row goes back between the writes of two servers, before either knows of the other's. PROTOCOL R22.
#[test]
fn numbers_that_two_servers_reserve_are_used_by_neither() {
    let (mut world, [one, two]) = World::with_two(2_000);
    world.copy();
    let before = world.row();
    let asks = [(); 2].map(|()| SegmentAsk::new(tag(), world.request()));
    let mut ranges = Vec::new();
    let mut leases = Vec::new();
    for (server, ask) in [&one, &two].into_iter().zip(asks) {
        let mut lease = Box::pin(server.registry.lease_segment(ask));
        // Time stands still, so nobody looks at the register.
        assert!(lease.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        while world.row() == before {
            std::thread::yield_now();
        }
        world.put_back(&["tags"]);
        leases.push(lease);
    }
    for lease in leases {
        ranges.push(world.wait(&[&one, &two], lease).unwrap().range);
    }
    assert!(ranges[0].end <= ranges[1].start || ranges[1].end <= ranges[0].start, "{ranges:?}");
    assert!(one.generation() > 0, "both wrote the same numbers");
}

/// PROTOCOL R23.
#[test]
fn after_a_restore_under_running_servers_each_line_goes_on_at_its_bound() {
    let (mut world, [one, two]) = World::with_two(2_000);
    world.copy();
    for _ in 0..3 {
        world.lease_in_turns(&one, &two, 20);
        let window = world.acquire(&[&one, &two]).unwrap();
        let bound = world.row();
        world.restore();
        world.pass(&[&two, &one], 1_000);
        // Numbers may have been reserved since.
        let known = file::known(&world.at("one"), one.registry.id()).unwrap().remove(0);
        assert_eq!(world.row(), known.bounds.lines[&(tag(), None)].end);
        assert!(world.row() >= bound);
        // The worker number rests until the end of the window that the store has forgotten.
        let refused = world.acquire(&[&two, &one]).unwrap_err();
        assert_eq!(refused.code, Code::WorkersExhausted, "{refused}");
        let end = window.layout.time(window.ticks.end);
        assert_eq!(refused.free_at, Some(end));
        world.pass(&[&one, &two], end.since(world.clock.wall()));
        // Each of them fences, and the copy knows of none.
        assert_eq!([one.generation(), two.generation()], [2, 2]);
    }
}

/// PROTOCOL R27.
#[test]
fn a_killed_server_is_waited_for_until_it_is_dropped_and_may_come_back() {
    let (mut world, [one, two]) = World::with_two(10_000);
    world.lease_in_turns(&two, &one, 1);
    two.kill();
    // What the other one has in hand is still good, and then it waits.
    let before = world.clock.wall();
    // On a slow machine a request is refused before that: it waits for 2.8 s, whatever the store's clock shows.
    while world.lease(&[&one]).is_err() || world.clock.wall() == before {
        assert!(world.clock.wall().since(before) < 9_000, "it is still waited for");
    }
    let waited = world.clock.wall().since(before);
    assert!((6_000..9_000).contains(&waited), "{waited}");
    let records = world.records();
    assert!(records.iter().any(|record| record.contains("\nout ")), "{records:?}");
    let two = world.server("two");
    world.lease_in_turns(&two, &one, 1);
    assert_eq!((one.generation(), two.generation()), (0, 0), "nothing was lost");
}

/// Its range in hand is good for as long as nobody can have dropped it, and after that only if nobody has. PROTOCOL R28,
/// PROTOCOL R31.
#[test]
fn a_server_that_is_cut_off_soon_uses_nothing_that_it_has_in_hand() {
    for (silent_ms, is_dropped) in [(1_000, false), (5_000, false), (20_000, true)] {
        let (mut world, [one, two]) = World::with_two(10_000);
        for _ in 0..20 {
            world.lease(&[&two, &one]).unwrap();
        }
        two.cut_off(true);
        world.pass(&[&one], silent_ms);
        let before = world.ranges.last().unwrap().end;
        let leased = world.lease(&[&two, &one]);
        assert_eq!(leased.is_ok(), silent_ms < 2_000, "{silent_ms}: {leased:?}");
        two.cut_off(false);
        world.pass(&[&two, &one], 1_000);
        let next = world.lease(&[&two, &one]).unwrap();
        let goes_on = next.start <= before + 10;
        assert_eq!(goes_on, !is_dropped, "{silent_ms}: {next:?} after {before}");
    }
}

/// PROTOCOL R26.
#[test]
fn both_are_needed_where_both_were_killed_and_the_store_went_back() {
    let (mut world, [one, two]) = World::with_two(2_000);
    world.copy();
    world.lease_in_turns(&one, &two, 20);
    [one, two].into_iter().for_each(Server::kill);
    world.restore();
    let one = world.server("one");
    unavailable(world.lease(&[&one]), &["two (", "leafid repair"]);
    // However long it waits: it was never confirmed.
    world.pass(&[&one], 20_000);
    assert_eq!(world.records().len(), 2);
    let two = world.server("two");
    world.lease_in_turns(&two, &one, 1);
}

/// The copy has the record with which the server began, and its journal still has that beat, too. PROTOCOL R26.
#[test]
fn a_copy_from_before_the_second_beat_of_a_server_is_not_as_it_left_it() {
    let mut world = World::new();
    let one = world.server("one");
    world.lease(&[&one]).unwrap();
    world.copy();
    let two = world.server("two");
    world.lease_in_turns(&one, &two, 1);
    one.kill();
    // The other one drops it, and goes on alone.
    world.pass(&[&two], 12_000);
    world.lease(&[&two]).unwrap();
    two.kill();
    world.restore();
    let one = world.server("one");
    unavailable(world.lease(&[&one]), &["not known here what they granted"]);
    let two = world.server("two");
    world.lease(&[&one, &two]).unwrap();
}

/// Two servers share one file: the one that waits has to let the other one write its ack.
#[test]
fn a_server_that_waits_for_its_start_does_not_lock_the_file() {
    let mut world = World::new();
    [world.server("one"), world.server("two")].into_iter().for_each(|server| {
        world.pass(&[&server], 2_000);
        server.kill();
    });
    let one = world.server("one");
    let ask = SegmentAsk::new(tag(), world.request());
    let mut lease = Box::pin(one.registry.lease_segment(ask));
    let file = world.open();
    file.busy_timeout(Duration::ZERO).unwrap();
    let mut free = 0;
    for _ in 0..20 {
        assert!(lease.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        world.step(&[&one]);
        one.end_turn();
        free += u32::from(file.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok());
    }
    println!("{free} of 20 times it was free");
    assert!(free > 10, "{free}");
}

#[test]
fn a_restart_fences_nothing() {
    let mut world = World::new();
    let [mut one, mut two] = ["one", "two"].map(|name| world.server(name));
    for n in 0..6 {
        world.lease_in_turns(&one, &two, 1);
        assert_eq!((one.generation(), two.generation()), (0, 0), "{n}");
        if n % 2 == 0 {
            one.kill();
            one = world.server("one");
        } else {
            two.kill();
            two = world.server("two");
        }
    }
}

/// After a kill the store may have one write that the journal lacks, and no more.
#[test]
fn a_journal_that_is_older_than_the_store_is_refused() {
    for (more, is_refused) in [(0, false), (1, false), (2, true)] {
        let mut world = World::new();
        let one = world.server("one");
        world.lease(&[&one]).unwrap();
        world.copy_journal("one", "older");
        for _ in 0..more {
            // With that long in between each lease is a write.
            world.clock.set(world.clock.wall().plus(60_000));
            world.lease(&[&one]).unwrap();
        }
        one.kill();
        let older = world.server("older");
        let leased = world.lease(&[&older]);
        assert_eq!((leased.is_err(), older.generation()), (is_refused, 0), "{more}: {leased:?}");
        if let Err(refused) = leased {
            assert_eq!(refused.code, Code::StoreRefused, "{refused}");
            assert!(refused.detail.contains("is older than what its server wrote"), "{refused}");
            older.kill();
            world.lease(&[&world.server("one")]).unwrap();
        }
    }
}

#[test]
fn of_two_servers_with_copies_of_one_journal_the_first_is_refused() {
    let mut world = World::new();
    let one = world.server("one");
    world.lease(&[&one]).unwrap();
    world.copy_journal("one", "copied");
    let copied = world.server("copied");
    world.lease(&[&copied]).unwrap();
    // A server that is alone looks once a second.
    world.pass(&[&one], 1_000);
    let refused = world.lease(&[&one]).unwrap_err();
    assert_eq!(refused.code, Code::StoreRefused, "{refused}");
    assert!(refused.detail.contains("uses a copy of it"), "{refused}");
    world.lease(&[&copied]).unwrap();
}

/// PROTOCOL R29.
#[test]
fn a_server_that_stops_is_not_missed_before_the_store_goes_back() {
    let (mut world, [one, two]) = World::with_two(2_000);
    world.lease(&[&two, &one]).unwrap();
    drop(two);
    let before = world.clock.wall();
    // Two had as much in hand as it leased.
    assert_eq!((world.lease(&[&one]).unwrap().start, one.generation()), (21, 0));
    assert!(world.clock.wall().since(before) < 1_000, "nobody is waited for");
    world.copy();
    world.lease(&[&one]).unwrap();
    drop(one);
    // In a store that went back, the one that stopped first does not know what was granted after that.
    world.restore();
    let two = world.server("two");
    unavailable(world.lease(&[&two]), &["one ("]);
    let one = world.server("one");
    world.lease(&[&two, &one]).unwrap();
}

#[test]
fn a_guest_waits_for_servers_that_run_or_were_killed_and_for_no_other() {
    let mut world = World::new();
    let one = world.server("one");
    world.lease(&[&one]).unwrap();
    let guest = world.guest();
    world.lease(&[&guest, &one]).unwrap();
    let known = file::known(&world.at("one"), one.registry.id()).unwrap().remove(0);
    assert_eq!(known.bounds.lines[&(tag(), None)].end, world.row());
    drop(guest);
    assert_eq!(world.records().len(), 1);
    one.kill();
    let guest = world.guest();
    unavailable(world.lease(&[&guest]), &["one ("]);
    let one = world.server("one");
    world.lease(&[&guest, &one]).unwrap();
    drop(one);
    world.lease(&[&guest]).unwrap();
}

/// Two servers ran on one machine; one of them starts again. PROTOCOL R30.
#[test]
fn a_server_takes_over_the_journals_in_its_folder() {
    for goes_back in [false, true] {
        let mut world = World::new();
        let [one, two] = [world.server("both"), world.server("both")];
        world.pass(&[&one, &two], 2_000);
        world.copy();
        world.lease_in_turns(&one, &two, 20);
        [one, two].into_iter().for_each(Server::kill);
        if goes_back {
            world.restore();
        }
        assert_eq!(world.journals("both").len(), 2);
        let one = world.server("both");
        world.lease(&[&one]).unwrap();
        let generation = u64::from(goes_back);
        assert_eq!((world.records().len(), one.generation()), (1, generation));
        assert_eq!(world.journals("both").len(), 1);
    }
}

/// Two servers were lost for good, with their machines or with their journals.
#[test]
fn a_repair_raises_each_line_to_its_bound_or_by_a_gap() {
    for (names, is_exact) in [(&["one", "two"][..], true), (&[], false)] {
        let (mut world, [one, two]) = World::with_two(2_000);
        world.copy();
        world.lease_in_turns(&one, &two, 20);
        let id = one.registry.id();
        [one, two].into_iter().for_each(Server::kill);
        // A row may have been written just before, of which nobody knows.
        let known = ["one", "two"].map(|name| file::known(&world.at(name), id).unwrap().remove(0));
        let bound = known.iter().map(|known| known.bounds.lines[&(tag(), None)].end).max().unwrap();
        world.restore();
        let before = world.row();
        let guest = world.guest();
        let done = world.repair(&guest, names, !is_exact).unwrap();
        assert_eq!((done.generation, done.tags(), world.records().len()), (1, 1, 0));
        let gap = 100 * u64::from(DEFAULT_MAX_STEP);
        assert_eq!(world.row(), if is_exact { bound } else { before + gap });
        assert_eq!(done.floor.get() > 0, !is_exact, "{done:?}");
        world.lease(&[&guest]).unwrap();
    }
}

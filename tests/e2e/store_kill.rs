//! Kills the store (`kill -9`) ten times while hosts draw.

use std::sync::atomic::Ordering;

use leafid_stream::hosts::Program;
use leafid_stream::proxy::Proxy;
use leafid_stream::store::{NAMESPACE, STEP};
use leafid_stream::stream::{Host, Stream};

use crate::setting::{close, setting, until};

const KILLS: u64 = 10;
/// IDs between two kills.
const BETWEEN: u64 = 2_000;
/// Connections of each host that must find the store down, after each kill.
const ASKS: u64 = 2;

/// PROTOCOL R1.
#[test]
fn a_store_killed_ten_times_grants_nothing_twice_and_loses_nothing() {
    let Some((_folder, mut store, stage)) = setting("store killed") else { return };
    let mut stream = Stream::default();
    let mut proxies = Vec::new();
    for program in Program::ALL {
        // Each host has its own proxy, which counts its asks in vain.
        let proxy = Proxy::to(store.address().port());
        stage.start(&mut stream, program, &proxy.through(&store.url())).expect("a host");
        proxies.push(proxy);
    }
    let hosts = stream.hosts().len() as u64;
    until(&mut stream, "first IDs", |stream| {
        stream.hosts().iter().all(|host| host.segment.ids > 0 && host.snowflake.ids > 0)
    });
    for kill in 1..=KILLS {
        let goal = stream.ids() + BETWEEN;
        until(&mut stream, "IDs between kills", |stream| stream.ids() >= goal);
        store.kill();
        // Stays down until every host has noticed, however busy the machine is.
        let in_vain = |proxy: &Proxy| proxy.in_vain.load(Ordering::Relaxed);
        let asked: Vec<u64> = proxies.iter().map(|proxy| in_vain(proxy) + ASKS).collect();
        until(&mut stream, "asks of a store that is gone", |_| {
            proxies.iter().zip(&asked).all(|(proxy, asked)| in_vain(proxy) >= *asked)
        });
        store.start_again().unwrap_or_else(|error| panic!("after kill {kill}: {error}"));
    }
    // Every host goes on: its reserve is used up by then, so these IDs are from the restarted store.
    let before: Vec<u64> = stream.hosts().iter().map(|host| host.segment.ids).collect();
    until(&mut stream, "IDs of every host after the last kill", |stream| {
        stream.hosts().iter().zip(&before).all(|(host, before)| host.segment.ids >= before + 500)
    });
    close(&mut stream);

    let numbers = stream.checker.numbers();
    let in_hand: u64 = stream.hosts().iter().map(|host| host.segment.stats.in_hand).sum();
    let granted = store.granted().expect("a tag");
    let lost = granted.checked_sub(numbers + in_hand).expect("what was handed out was granted");
    let (used, held) = store.workers().expect("a list");
    let failed = |host: &Host| host.segment.stats.failures + host.snowflake.stats.failures;
    let failures: u64 = stream.hosts().iter().map(failed).sum();
    println!(
        "{KILLS} kills, {hosts} hosts, {} IDs, {} grants, {failures} asks failed, duplicates {}; \
         {granted} numbers granted, {numbers} handed out, {in_hand} in hand at the end, {lost} lost; \
         {used} worker numbers",
        stream.ids(),
        stream.grants(),
        stream.checker.duplicates(),
    );
    assert_eq!((stream.checker.duplicates(), stream.checker.backwards()), (0, 0));
    // Each host may lose one step per kill, whose answer was cut off, and one by closing.
    let may_be_lost = (KILLS + 1) * hosts * STEP;
    assert!(lost <= may_be_lost, "{lost} numbers lost, {may_be_lost} may be");
    // The next renewal makes up for one that was cut off: each host keeps its worker number.
    assert_eq!((used, held), (hosts as usize, 0), "worker numbers used and held, `{NAMESPACE}`");
    assert!(stream.ids() >= KILLS * BETWEEN, "{} IDs", stream.ids());
    assert!(stream.grants() >= 100, "{} grants", stream.grants());
    // One of the `ASKS` connections may be a client's second try of the same ask.
    assert!(failures >= KILLS * hosts, "the kills were noticed by {failures} asks only");
}

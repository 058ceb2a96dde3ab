//! The control of the fault tests: the same check finds the forbidden fault, a store that goes on from
//! an older copy of its file.

use std::fs;
use std::path::Path;

use leafid_core::Layout;
use leafid_stream::hosts::{Program, Stage};
use leafid_stream::store::Store;
use leafid_stream::stream::{Host, Stream};

use crate::setting::{LIMIT, Setting, draw, start, until};

const RATE: u32 = 1_000;
/// The first host draws faster, so that it is far ahead of where the second one begins.
const AHEAD: u32 = 4_000;
/// How often the fault is tried. A round finds nothing if the first host's window of 10 s was over
/// before it was woken, which takes a machine that stalls for seconds.
const ROUNDS: usize = 30;

#[test]
fn control_a_store_restored_from_a_copy_gives_duplicates() {
    let Some(setting) = Setting::find("control: store restored from a copy") else { return };
    let stage = setting.stage();
    for round in 1..=ROUNDS {
        let mut store = setting.store(&format!("store-{round}"));
        let seen = restored(&mut store, &stage);
        let Seen { ids, numbers_twice, snowflakes_twice, told } = seen;
        setting.tell(&format!(
            "round {round}: {ids} IDs; {numbers_twice} numbers and {snowflakes_twice} snowflake IDs \
             came twice; the first host was told {told} times"
        ));
        // The second host began at the same number as the first, whatever the time.
        assert!(numbers_twice >= 300, "{numbers_twice} numbers came twice");
        if snowflakes_twice > 0 && told > 0 {
            return;
        }
    }
    panic!("in {ROUNDS} rounds no snowflake ID came twice, or the first host was never told");
}

struct Seen {
    ids: u64,
    numbers_twice: u64,
    snowflakes_twice: u64,
    told: u64,
}

/// Freezes a host while it draws, replaces the store's file by an older copy, lets another host draw, and
/// wakes the first one within its window.
fn restored(store: &mut Store, stage: &Stage) -> Seen {
    // Stopped first, so that the copy is complete.
    store.terminate().expect("it ends in time");
    let file = store.file();
    let copy = file.with_extension("copy");
    fs::copy(&file, &copy).expect("it can be copied");
    store.start_again().expect("it starts again");

    let mut stream = Stream::new(Layout::LEAF);
    let first = start(&mut stream, stage, Program::Python, &draw(&store.url(), AHEAD));
    until(&mut stream, "IDs of the first host", |stream| drawn(stream.host(first)) >= 1_000);
    assert_eq!(stream.checker.duplicates(), 0);

    // Frozen: otherwise it might renew its window before the second host acquires one, and the
    // restored store would know of it.
    stream.freeze(first);
    store.kill();
    restore(&copy, &file);
    store.start_again().expect("it starts again");
    // The second host gets the same numbers, and the same worker's same ticks.
    let second = start(&mut stream, stage, Program::Node, &draw(&store.url(), RATE));
    until(&mut stream, "IDs of the second host", |stream| drawn(stream.host(second)) >= 300);
    stream.thaw(first);
    // It soon asks for more and is refused, unless the second host has passed its numbers by then.
    let before = [stream.host(first).segment.ids, stream.host(first).snowflake.ids];
    until(&mut stream, "IDs of the first host once more", |stream| {
        let host = stream.host(first);
        let told = host.segment.refusals > 0 || host.segment.ids > before[0] + 1_000;
        told && host.snowflake.ids > before[1]
    });
    stream.close(LIMIT).expect("both close");

    let drawn: u64 = stream.hosts().iter().map(|host| host.segment.ids).sum();
    let numbers_twice = drawn - stream.checker.numbers();
    let told = &stream.host(first).segment;
    // The host that proves the loss is refused and stops.
    let codes: Vec<_> = told.refused.iter().map(|refused| &*refused.code).collect();
    assert!(codes.iter().all(|code| *code == "STORE_WENT_BACK"), "{codes:?}");
    Seen {
        ids: stream.ids(),
        numbers_twice,
        snowflakes_twice: stream.checker.duplicates() - numbers_twice,
        told: told.refusals,
    }
}

/// The count of IDs of the kind that the host drew fewer of.
fn drawn(host: &Host) -> u64 {
    host.segment.ids.min(host.snowflake.ids)
}

/// Puts the copy in the file's place, and removes SQLite's files beside it.
fn restore(copy: &Path, file: &Path) {
    for beside in ["-wal", "-shm"] {
        let path = format!("{}{beside}", file.display());
        let _ = fs::remove_file(path);
    }
    fs::copy(copy, file).expect("it can be restored");
}

//! The controls of the faults: a store that goes on from a copy of its file, which nobody may do, is
//! found out by the same check over the same hosts; and a caller with too little patience shows that
//! an outage is felt, and that refusals are seen.

use std::fs;
use std::path::Path;
use std::time::Duration;

use leafid_core::Layout;
use leafid_stream::hosts::{Draw, Program};
use leafid_stream::line::Kind;
use leafid_stream::stream::{Host, Stream};

use crate::setting::{LIMIT, Setting, draw, start, until};

const RATE: u32 = 1_000;

#[test]
fn control_a_store_restored_from_a_copy_gives_duplicates() {
    let Some(setting) = Setting::find("control: store restored from a copy") else { return };
    let mut store = setting.store("store");
    // Ended first, so that the copy is whole.
    store.terminate().expect("it ends in time");
    let file = store.file();
    let copy = file.with_extension("copy");
    fs::copy(&file, &copy).expect("it can be copied");
    store.start_again().expect("it starts again");

    let stage = setting.stage();
    let mut stream = Stream::new(Layout::LEAF);
    let draw = draw(&store.url(), RATE);
    let enough = |host: &Host| host.segment.ids >= 300 && host.snowflake.ids >= 300;
    let first = start(&mut stream, &stage, Program::Python, &draw);
    until(&mut stream, "IDs of the first host", |stream| enough(stream.host(first)));
    assert_eq!(stream.checker.duplicates(), 0);

    store.kill();
    restore(&copy, &file);
    store.start_again().expect("it starts again");
    // The first host still holds its window; the second is given the same numbers, and the same
    // worker's same time.
    let second = start(&mut stream, &stage, Program::Node, &draw);
    until(&mut stream, "IDs of the second host", |stream| enough(stream.host(second)));
    stream.close(LIMIT).expect("both close");

    let drawn: u64 = stream.hosts().iter().map(|host| host.segment.ids).sum();
    let twice = drawn - stream.checker.numbers();
    let found = stream.checker.duplicates();
    let codes: Vec<_> = stream.host(first).segment.refused.iter().map(|r| &*r.code).collect();
    setting.tell(&format!(
        "{} IDs, {found} duplicates found, {twice} of them numbers; the first host was told {:?}",
        stream.ids(),
        codes.first()
    ));
    assert!(twice >= 300, "{twice} numbers came twice");
    assert!(found > twice, "no snowflake IDs among {found} duplicates");
    // And the host that knew better stopped by itself.
    assert!(codes.iter().all(|code| *code == "STORE_WENT_BACK"), "{codes:?}");
}

#[test]
fn control_a_caller_that_waits_too_short_is_refused_and_goes_on() {
    let Some(setting) = Setting::find("control: an outage longer than the time-out") else {
        return;
    };
    let mut store = setting.store("store");
    let stage = setting.stage();
    let mut stream = Stream::new(Layout::LEAF);
    for program in [Program::Python, Program::Node] {
        let only = Some(Kind::Segment);
        let timeout = Duration::from_secs(1);
        let draw = Draw { only, timeout, ..draw(&store.url(), RATE) };
        start(&mut stream, &stage, program, &draw);
    }
    until(&mut stream, "first IDs", |stream| stream.hosts().iter().all(|host| host.ids() > 0));
    store.kill();
    until(&mut stream, "a refusal of each host", |stream| {
        stream.hosts().iter().all(|host| host.segment.refusals > 0)
    });
    store.start_again().expect("it starts again");
    let before: Vec<u64> = stream.hosts().iter().map(Host::ids).collect();
    until(&mut stream, "IDs after the refusal", |stream| {
        stream.hosts().iter().zip(&before).all(|(host, before)| host.ids() >= before + 500)
    });
    stream.close(LIMIT).expect("both close");
    let refusals: Vec<u64> = stream.hosts().iter().map(|host| host.segment.refusals).collect();
    setting.tell(&format!("{} IDs, 1 kill, refusals {refusals:?}", stream.ids()));
    for host in stream.hosts() {
        let codes = host.segment.refused.iter().map(|refused| &*refused.code);
        assert_eq!(codes.collect::<Vec<_>>(), vec!["TIMED_OUT"; host.segment.refused.len()]);
    }
    assert_eq!(stream.checker.duplicates(), 0);
}

/// The copy takes the file's place, and nothing is left of what was written beside it.
fn restore(copy: &Path, file: &Path) {
    for beside in ["-wal", "-shm"] {
        let path = format!("{}{beside}", file.display());
        let _ = fs::remove_file(path);
    }
    fs::copy(copy, file).expect("it can be restored");
}

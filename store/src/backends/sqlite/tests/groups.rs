//! A group is written whole or not at all, and the other groups of its turn are written.

use std::sync::Arc;

use leafid_core::registry::{TagRow, TagSpec, WorkerRow};
use leafid_core::{Name, StoreTime};

use crate::backends::opening::Options;
use crate::backends::sqlite::Sqlite;
use crate::backends::{Answer, BackEnd, Outcome, Seen, Want, WorkerWrite, Write};
use crate::clock::ManualClock;

const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

fn worker(number: u32, before: Option<WorkerRow>, reserved_until: u64) -> Write {
    let after = WorkerRow { reserved_until, ..WorkerRow::default() };
    Write::Worker(Box::new(WorkerWrite {
        namespace: Name::namespace("default").unwrap(),
        worker: number,
        before: before.map(|row| Seen { row, revision: 0 }),
        after,
    }))
}

fn tag(name: &str) -> Write {
    let after = TagRow::create(None, &TagSpec::default()).unwrap();
    Write::Tag { tag: Name::tag(name).unwrap(), before: None, after }
}

#[tokio::test]
async fn a_group_of_which_one_row_was_changed_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(NOW));
    let create = Options { create: true, ..Options::default() };
    let mut file = Sqlite::open(&folder.path().join("a.db"), clock, &create).unwrap();
    file.begin().await.unwrap();
    let written = file.write(&[vec![worker(7, None, 70)]]).await.unwrap();
    assert_eq!(written, [Outcome::Done(Vec::new())]);

    let as_it_is = WorkerRow { reserved_until: 70, ..WorkerRow::default() };
    let as_it_was = WorkerRow { reserved_until: 60, ..WorkerRow::default() };
    let groups = [
        vec![tag("before")],
        vec![worker(1, None, 10), worker(7, Some(as_it_was), 71), worker(2, None, 20)],
        vec![worker(7, None, 72)],
        vec![worker(3, None, 30), worker(7, Some(as_it_is), 73)],
        vec![tag("after")],
    ];
    file.begin().await.unwrap();
    let outcomes = file.write(&groups).await.unwrap();
    let done: Vec<bool> = outcomes.iter().map(|outcome| *outcome != Outcome::Conflict).collect();
    assert_eq!(done, [true, false, false, true, true]);

    let name = Name::namespace("default").unwrap();
    let tags = ["before", "after"].map(|name| Want::Tag(Name::tag(name).unwrap()));
    let workers = [1, 2, 3, 7].map(|number| Want::Worker(name, number));
    file.begin().await.unwrap();
    let found = file.read(&[&tags[..], &workers].concat()).await.unwrap();
    let there = found.into_iter().map(|answer| match answer {
        Answer::Tag(tag) => tag.map(|seen| seen.row.max_id),
        answer => answer.workers().first().map(|(_, row)| row.reserved_until),
    });
    let there: Vec<_> = there.collect();
    assert_eq!(there, [Some(1), Some(1), None, None, Some(30), Some(73)]);
}

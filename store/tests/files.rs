//! Which files are accepted as stores, and which are refused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{AcquireAsk, Code, Layout, Name, Range, StoreTime, Token};
use leafid_store::backends::opening::Options;
use leafid_store::backends::sqlite::file::rename;
use leafid_store::clock::{ManualClock, SystemClock};
use leafid_store::opening::open_sqlite;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::{NamespaceChange, TagChange};
use leafid_turn::sql::VERSION;
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    (folder, file)
}

fn open(file: &Path) -> Result<Registry, Problem> {
    open_sqlite(file, Arc::new(SystemClock), &Options::default())
}

fn create(file: &Path) -> Result<Registry, Problem> {
    open_sqlite(file, Arc::new(SystemClock), &Options { new: true, ..Options::default() })
}

#[track_caller]
fn is_refused<T>(result: Result<T, Problem>, code: Code, words: &[&str]) {
    let problem = result.map(drop).unwrap_err();
    assert_eq!(problem.code, code, "{problem}");
    for word in words {
        assert!(problem.detail.contains(word), "no `{word}` in {problem}");
    }
}

fn create_or_open(file: &Path) -> Result<Registry, Problem> {
    let options = Options { create: true, ..Options::default() };
    open_sqlite(file, Arc::new(SystemClock), &options)
}

#[test]
fn what_is_not_there_is_not_made_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let [missing, empty, bare] =
        ["missing.db", "empty.db", "bare.db"].map(|n| folder.path().join(n));
    std::fs::write(&empty, "").unwrap();
    // A database of one page without a table, as a store that was separated from its log.
    let connection = rusqlite::Connection::open(&bare).unwrap();
    connection.execute_batch("CREATE TABLE t (x); DROP TABLE t; VACUUM").unwrap();
    drop(connection);
    let mut ids = BTreeSet::new();
    for (file, what) in [(&missing, "does not exist"), (&empty, "empty"), (&bare, "no tables")] {
        let before = std::fs::read(file).ok();
        let way = format!("leafid init --store sqlite:{}", file.display());
        is_refused(open(file), Code::StoreUnknown, &[what, &way]);
        assert_eq!(std::fs::read(file).ok(), before, "it is left as it was");
        let made = create(file).unwrap();
        assert!(made.found().unwrap().created && ids.insert(made.id()), "each has its own id");
        drop(made);
        let again = open(file).unwrap();
        assert!(!again.found().unwrap().created && ids.contains(&again.id()), "and keeps it");
    }
}

/// SQLite would delete the log, and with it the last grants.
#[test]
fn a_log_without_its_file_is_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let (file, log) = (folder.path().join("a.db"), folder.path().join("a.db-wal"));
    let store = create(&file).unwrap();
    let grants = std::fs::read(&log).unwrap();
    assert!(!grants.is_empty(), "the log holds the tables");
    drop(store);
    std::fs::rename(&file, folder.path().join("moved.db")).unwrap();
    std::fs::write(&log, &grants).unwrap();
    for attempt in [open(&file), create(&file), create_or_open(&file)] {
        is_refused(attempt, Code::StoreRefused, &["a.db-wal"]);
    }
    assert_eq!(std::fs::read(&log).unwrap(), grants);
}

#[tokio::test]
async fn a_store_that_replaces_a_lost_one_begins_above_it() {
    let (_folder, file) = place();
    let start = 1_800_000_000_000;
    let clock = Arc::new(ManualClock::at(StoreTime::new(start)));
    let options = Options { new: true, replaces_lost_ms: Some(60_000), ..Options::default() };
    let store = open_sqlite(&file, clock.clone(), &options).unwrap();
    let floor = start + 60_000 + 5_000;
    assert_eq!(store.found().unwrap().floor, Some(StoreTime::new(floor)));
    // A later namespace has the floor, too, and keeps it when its layout changes.
    let [wide, js53] = ["wide", "js53"].map(|name| Name::namespace(name).unwrap());
    let change = NamespaceChange { layout: Some(Layout::LONG), ..NamespaceChange::default() };
    store.put_namespace(wide, change).await.unwrap();
    store.put_namespace(js53, change).await.unwrap();
    let workers = Some(Range::new(0, 256));
    let change =
        NamespaceChange { layout: Some(Layout::JS53), workers, ..NamespaceChange::default() };
    store.put_namespace(js53, change).await.unwrap();
    let spaces = [Name::namespace("default").unwrap(), wide, js53];
    let owner = Name::owner("o").unwrap();
    let ask = |namespace, n: u8| AcquireAsk::new(namespace, Token::new([n; 16]), owner);
    for namespace in spaces {
        let refused = store.acquire(ask(namespace, 1)).await.unwrap_err();
        let free_at = refused.free_at.unwrap().get();
        assert_eq!(refused.code, Code::WorkersExhausted, "{namespace}: {refused}");
        assert!((floor..floor + 20).contains(&free_at), "{namespace}: {free_at} after {floor}");
    }
    clock.set(StoreTime::new(floor + 20));
    for namespace in spaces {
        let grant = store.acquire(ask(namespace, 2)).await.unwrap();
        let begins = grant.layout.time(grant.ticks.start).get();
        assert!(begins >= floor, "{namespace}: {begins} after {floor}");
    }
    // A new tag would begin at 1 again.
    let tag = Name::tag("orders").unwrap();
    let refused = store.put_tag(tag, TagChange::default()).await;
    is_refused(refused, Code::RequestInvalid, &["--from"]);
    let change = TagChange { from: Some(5_000_001), ..TagChange::default() };
    assert_eq!(store.put_tag(tag, change).await.unwrap().max_id, 5_000_001);
    // An existing tag may change, and a deleted one goes on above its position.
    let change = TagChange { step: Some(7), ..TagChange::default() };
    assert_eq!(store.put_tag(tag, change).await.unwrap().step, 7);
    store.delete_tag(tag).await.unwrap();
    assert_eq!(store.put_tag(tag, TagChange::default()).await.unwrap().max_id, 5_000_001);
    drop(store);
    let again = open_sqlite(&file, clock, &Options::default()).unwrap();
    assert_eq!(again.found().unwrap().floor, Some(StoreTime::new(floor)));
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "shopping list: milk, bread, and a good deal more than that".repeat(40))
        .unwrap();
    let before = std::fs::read(&text).unwrap();
    is_refused(open(&text), Code::SchemaMismatch, &[]);
    assert_eq!(std::fs::read(&text).unwrap(), before);

    let foreign = folder.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE customers (name TEXT)").unwrap();
    is_refused(open(&foreign), Code::SchemaMismatch, &[]);
    let tables = "SELECT group_concat(name) FROM sqlite_schema";
    let tables: String = connection.query_row(tables, [], |row| row.get(0)).unwrap();
    assert_eq!(tables, "customers");

    let missing = folder.path().join("missing").join("a.db");
    is_refused(open(&missing), Code::StoreUnknown, &["missing"]);
}

#[test]
fn tables_of_another_version_are_refused_and_left_alone() {
    let (_folder, file) = place();
    drop(create(&file).unwrap());
    let version = |to: i64| {
        let other = rusqlite::Connection::open(&file).unwrap();
        other.pragma_update(None, "user_version", to).unwrap();
    };
    for other in [0, VERSION + 1, 99] {
        version(other);
        let before = std::fs::read(&file).unwrap();
        let renamed = rename(&file, Token::new([7; 16]));
        let opened = [open(&file), create(&file), create_or_open(&file)];
        for attempt in opened.into_iter().map(|opened| opened.map(drop)).chain([renamed]) {
            let says = format!("has tables of version {other}, this program knows {VERSION}; use");
            is_refused(attempt, Code::SchemaMismatch, &[&says]);
        }
        assert_eq!(std::fs::read(&file).unwrap(), before, "it is left as it was");
    }
    version(VERSION);
    open(&file).unwrap();
}

#[test]
fn a_store_that_cannot_be_written_to_says_so() {
    let (_folder, file) = place();
    drop(create(&file).unwrap());
    let other = rusqlite::Connection::open(&file).unwrap();
    other.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
    other.execute_batch("BEGIN EXCLUSIVE; COMMIT").unwrap();
    is_refused(open(&file), Code::StoreUnavailable, &["locked"]);
}

/// Readiness writes at most once a second, and not at all if something else was written.
#[tokio::test]
async fn readiness_writes_at_most_once_a_second() {
    let (_folder, file) = place();
    let clock = Arc::new(ManualClock::at(StoreTime::new(1_800_000_000_000)));
    let options = Options { create: true, ..Options::default() };
    let store = open_sqlite(&file, clock.clone(), &options).unwrap();
    let other = rusqlite::Connection::open(&file).unwrap();
    let beat =
        || -> i64 { other.query_row("SELECT beat_ms FROM meta", [], |row| row.get(0)).unwrap() };
    let begun = std::time::Instant::now();
    let mut beats = BTreeSet::from([beat()]);
    for ms in 1..=200 {
        let now = StoreTime::new(1_800_000_000_000 + ms);
        clock.set(now);
        assert_eq!(store.ready().await.unwrap(), now);
        beats.insert(beat());
    }
    // The value before the first write does not count.
    let written = beats.len() - 1;
    let most = begun.elapsed().as_secs() as usize + 1;
    assert!((1..=most).contains(&written), "{written} writes in {:?}", begun.elapsed());
}

/// Two servers would each write a log beside the name that they opened, and grant the same numbers.
#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_refused_by_each_and_a_link_to_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let [file, second, link] = ["a.db", "b.db", "c.db"].map(|name| folder.path().join(name));
    let id = create(&file).unwrap().id();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(open(&link).unwrap().id(), id, "SQLite follows it to the same log");
    std::fs::hard_link(&file, &second).unwrap();
    for name in [&file, &second, &link] {
        is_refused(open(name), Code::StoreRefused, &["2 names"]);
    }
    std::fs::remove_file(&second).unwrap();
    assert_eq!(open(&file).unwrap().id(), id);
    // Also an empty file that is no store yet.
    let empty = folder.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    std::fs::hard_link(&empty, &second).unwrap();
    is_refused(create(&second), Code::StoreRefused, &[]);
    assert_eq!(std::fs::read(&empty).unwrap(), b"", "it is left as it was");
}

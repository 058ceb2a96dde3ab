//! Which files are stores, and which are refused.

use std::path::Path;
use std::sync::Arc;

use leafid_core::{Code, Name, SegmentAsk, Token};
use leafid_server::clock::SystemClock;
use leafid_server::problem::Problem;
use leafid_server::store::{Store, TagChange};
use leafid_server::stores::sqlite::{Options, SqliteStore};

fn open(file: &Path) -> Result<SqliteStore, Problem> {
    SqliteStore::open(file, Arc::new(SystemClock), Options::default())
}

#[test]
fn a_store_keeps_its_id_and_two_stores_have_two() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let id = open(&file).unwrap().id();
    assert_eq!(open(&file).unwrap().id(), id);
    assert_ne!(open(&folder.path().join("b.db")).unwrap().id(), id);
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "shopping list: milk, bread, and a good deal more than that".repeat(40))
        .unwrap();
    let before = std::fs::read(&text).unwrap();
    assert_eq!(open(&text).unwrap_err().code, Code::SchemaMismatch);
    assert_eq!(std::fs::read(&text).unwrap(), before);

    let foreign = folder.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE customers (name TEXT)").unwrap();
    let problem = open(&foreign).unwrap_err();
    assert_eq!(problem.code, Code::SchemaMismatch);
    let tables = "SELECT group_concat(name) FROM sqlite_schema";
    let tables: String = connection.query_row(tables, [], |row| row.get(0)).unwrap();
    assert_eq!(tables, "customers");

    let problem = open(&folder.path().join("missing").join("a.db")).unwrap_err();
    assert_eq!(problem.code, Code::StoreUnavailable);
    assert!(problem.detail.contains("missing"), "{}", problem.detail);
}

#[test]
fn a_newer_version_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    drop(open(&file).unwrap());
    let other = rusqlite::Connection::open(&file).unwrap();
    let ours = other.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap();
    other.pragma_update(None, "user_version", ours + 1).unwrap();
    let problem = open(&file).unwrap_err();
    assert_eq!(problem.code, Code::SchemaMismatch);
    let newer = format!("version {},", ours + 1);
    assert!(problem.detail.contains(&newer), "{}", problem.detail);
}

#[test]
fn a_store_that_cannot_be_written_to_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    drop(open(&file).unwrap());
    // Another program that keeps the file to itself.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
    other.execute_batch("BEGIN EXCLUSIVE; COMMIT").unwrap();
    let problem = open(&file).unwrap_err();
    assert!(matches!(problem.code, Code::StoreUnavailable | Code::SchemaMismatch), "{problem}");
    assert!(problem.detail.contains("locked"), "{problem}");
}

#[tokio::test]
async fn while_another_process_writes_there_is_no_answer_and_then_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let store = open(&file).unwrap();
    let tag = Name::tag("orders").unwrap();
    let before = store.put_tag(tag, TagChange::default()).await.unwrap();
    let ask = SegmentAsk {
        tag,
        request: Token::new([1; 16]),
        store: None,
        step: None,
        at_least: None,
        have_until: None,
    };

    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (one, two) = tokio::join!(store.lease_segment(ask), store.lease_segment(ask));
    for refused in [one.unwrap_err(), two.unwrap_err()] {
        assert_eq!(refused.code, Code::StoreUnavailable, "{refused}");
        assert!(refused.retry_after_ms.is_some(), "{refused}");
    }
    other.execute_batch("ROLLBACK").unwrap();
    let grant = store.lease_segment(ask).await.unwrap();
    assert_eq!(grant.range.start, before.max_id, "what was refused moved nothing");
}

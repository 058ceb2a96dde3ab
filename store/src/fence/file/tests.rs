//! Journals that are cut off, copied, removed, shared and grown.

use leafid_core::Name;

use super::*;

const STORE: Token = Token::new([7; 16]);

fn tag(n: u64) -> Note {
    Note::Tag(Name::tag("orders").unwrap(), n)
}

fn head(since: i64) -> Head {
    Head { store: STORE, since: StoreTime::new(since), place: "sqlite:/a # b.db".to_owned() }
}

fn open(folder: &Path) -> (Log, Vec<u64>) {
    let (log, found) = Log::open(folder, head(7)).unwrap();
    (log, found.tags.values().copied().collect())
}

#[test]
fn it_goes_on_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, found) = open(folder.path());
    assert!(found.is_empty(), "{found:?}");
    log.add(vec![tag(10), tag(20)]).unwrap();
    let (known, path) = (log.witness.clone(), log.path.clone());
    drop(log);
    // A crash in the middle of a line, and a line that the disk corrupted.
    let mut content = std::fs::read(&path).unwrap();
    content.extend(b"tag orders 9999 #00000000\ntag orders 88");
    std::fs::write(&path, content).unwrap();
    let (log, found) = Log::open(folder.path(), head(9)).unwrap();
    assert_eq!((found, log.head.clone()), (known, head(7)), "it runs since the first start");
    assert_eq!(read(&path, STORE).unwrap().unwrap().0, head(7));
}

#[test]
fn it_stays_small_and_forgets_nothing_that_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = open(folder.path());
    let mut largest = 0;
    for n in 1..=30_000 {
        log.add(vec![tag(n)]).unwrap();
        largest = largest.max(log.size);
    }
    assert!((LARGE / 2..LARGE + 100).contains(&largest), "{largest}");
    drop(log);
    let (log, found) = open(folder.path());
    assert_eq!(found, [30_000]);
    assert!(log.size < 200, "{}", log.size);
}

/// After the folder of a running server was emptied, the next start still finds everything.
#[test]
fn one_that_is_removed_or_replaced_is_written_again_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = path(folder.path(), STORE, 1);
    let known = |log: Log| {
        drop(log);
        open(folder.path())
    };
    let (mut log, _) = open(folder.path());
    log.add(vec![tag(10)]).unwrap();
    std::fs::remove_file(&path).unwrap();
    log.sync().unwrap();
    let (mut log, found) = known(log);
    assert_eq!(found, [10]);
    std::fs::rename(&path, folder.path().join("elsewhere")).unwrap();
    std::fs::write(&path, "").unwrap();
    log.add(vec![tag(20)]).unwrap();
    assert_eq!(known(log).1, [20]);
}

/// A file was copied or renamed.
#[test]
fn the_journal_of_another_store_is_refused_under_this_ones_name() {
    let folder = tempfile::tempdir().unwrap();
    let other = Token::new([8; 16]);
    let (log, _) = Log::open(folder.path(), Head { store: other, ..head(7) }).unwrap();
    std::fs::copy(&log.path, path(folder.path(), STORE, 1)).unwrap();
    let refused = Log::open(folder.path(), head(7)).unwrap_err();
    assert_eq!(refused.code, Code::SchemaMismatch, "{refused}");
    assert!(refused.detail.contains("under the name of store"), "{refused}");
}

/// The folder is removed and made again while two servers of the store run.
#[test]
fn a_journal_whose_lock_is_gone_takes_a_name_that_no_other_server_has() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, _) = open(folder.path());
    std::fs::remove_file(first.path.with_extension("lock")).unwrap();
    std::fs::remove_file(&first.path).unwrap();
    let (mut second, _) = open(folder.path());
    assert_eq!(first.path, second.path);
    first.add(vec![tag(10)]).unwrap();
    second.add(vec![tag(20)]).unwrap();
    first.sync().unwrap();
    assert_ne!(first.path, second.path);
    let noted = |log: &Log| read(&log.path, STORE).unwrap().unwrap().1.tags;
    assert_eq!(noted(&first).into_values().collect::<Vec<_>>(), [10]);
    assert_eq!(noted(&second).into_values().collect::<Vec<_>>(), [20]);
}

#[test]
fn what_is_no_journal_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = path(folder.path(), STORE, 1);
    std::fs::write(&path, "a letter to a friend\n").unwrap();
    let refused = Log::open(folder.path(), head(7)).unwrap_err();
    assert_eq!(refused.code, Code::SchemaMismatch, "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a letter to a friend\n");
    let missing = Log::open(&folder.path().join("none"), head(7)).unwrap_err();
    assert_eq!(missing.code, Code::StoreUnavailable, "{missing}");
}

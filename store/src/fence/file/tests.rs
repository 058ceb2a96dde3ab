//! Journals that are cut off, copied, removed, shared and grown.

use leafid_core::Name;
use leafid_turn::register::Line;

use super::*;

const STORE: Token = Token::new([7; 16]);

fn name() -> Name {
    Name::tag("orders").unwrap()
}

fn tag(n: u64) -> Note {
    Note::Line(Line::tag(name(), n))
}

fn head(since: i64) -> Head {
    Head { store: STORE, since: StoreTime::new(since), place: "sqlite:/a # b.db".to_owned() }
}

fn open(folder: &Path) -> (Log, Vec<u64>) {
    let (log, taken) = Log::open(folder, head(7), false).unwrap();
    assert!(taken.is_empty(), "{taken:?}");
    let tags = log.bounds().tags().map(|(_, end)| end).collect();
    (log, tags)
}

#[test]
fn it_goes_on_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, found) = open(folder.path());
    assert!(found.is_empty(), "{found:?}");
    log.add(vec![tag(10), tag(20)]).unwrap();
    let (known, path) = (log.bounds().clone(), log.path.clone());
    drop(log);
    // A crash in the middle of a line, and a line that the disk corrupted.
    let mut content = std::fs::read(&path).unwrap();
    content.extend(b"tag orders 9999 #00000000\ntag orders 88");
    std::fs::write(&path, content).unwrap();
    let (log, _) = Log::open(folder.path(), head(9), false).unwrap();
    assert_eq!((log.bounds(), &log.head), (&known, &head(7)), "it runs since the first start");
    assert_eq!(read(&path, STORE).unwrap().unwrap().0, head(7));
}

/// The times of windows are of the clock that was wrong; a position of a tag is no time.
#[test]
fn windows_are_forgotten_where_a_clock_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let window = Line::worker(Name::namespace("n").unwrap(), 3, 10, 50);
    let (mut log, _) = open(folder.path());
    log.add(vec![tag(10), Note::Line(window)]).unwrap();
    assert_eq!(log.bounds().lines.len(), 2);
    drop(log);
    for believe_clock in [true, false] {
        let (log, _) = Log::open(folder.path(), head(9), believe_clock).unwrap();
        assert_eq!(log.bounds().lines.values().collect::<Vec<_>>(), [&Line::tag(name(), 10)]);
    }
}

#[test]
fn it_stays_small_and_forgets_nothing_that_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = open(folder.path());
    let mut largest = 0;
    for n in 1..=300 {
        log.add((n * 100 - 99..=n * 100).map(tag).collect()).unwrap();
        largest = largest.max(log.size);
    }
    assert!((LARGE / 2..LARGE + 10_000).contains(&largest), "{largest}");
    drop(log);
    let (log, found) = open(folder.path());
    assert_eq!(found, [30_000]);
    assert!(log.size < 200, "{}", log.size);
}

/// Here a removed file would be gone only when the server ends.
#[cfg(windows)]
#[test]
fn one_that_is_in_use_can_be_neither_removed_nor_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = open(folder.path());
    let other = folder.path().join("other");
    std::fs::write(&other, "").unwrap();
    for path in [log.path.clone(), log.path.with_extension("lock")] {
        std::fs::remove_file(&path).unwrap_err();
        std::fs::rename(&path, folder.path().join("elsewhere")).unwrap_err();
        std::fs::rename(&other, &path).unwrap_err();
    }
    log.add(vec![tag(10)]).unwrap();
    drop(log);
    assert_eq!(open(folder.path()).1, [10]);
}

/// After the folder of a running server was emptied, the next start still finds everything.
#[cfg(unix)]
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
    log.add(Vec::new()).unwrap();
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
    let (log, _) = Log::open(folder.path(), Head { store: other, ..head(7) }, false).unwrap();
    std::fs::copy(&log.path, path(folder.path(), STORE, 1)).unwrap();
    let refused = Log::open(folder.path(), head(7), false).unwrap_err();
    assert_eq!(refused.code, Code::SchemaMismatch, "{refused}");
    assert!(refused.detail.contains("under the name of store"), "{refused}");
}

/// The folder is removed and made again while two servers of the store run.
#[cfg(unix)]
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
    assert_ne!(first.path, second.path);
    let noted = |log: &Log| {
        let (_, bounds) = read(&log.path, STORE).unwrap().unwrap();
        bounds.tags().map(|(_, end)| end).collect::<Vec<_>>()
    };
    assert_eq!(noted(&first), [10]);
    assert_eq!(noted(&second), [20]);
}

/// Two servers ran on a machine, and one starts again: it goes on with one journal, and the other one, whose
/// server never comes back, is a part of it. A third server still runs.
#[test]
fn journals_that_no_server_uses_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let [own, other, third] = [1, 2, 3].map(|n| Token::new([n; 16]));
    let beat = |count| Beat { life: 1, salt: 5, count };
    let begin = |id, count, notes: Vec<Note>| {
        let (mut log, _) = open(folder.path());
        log.add([vec![Note::Server(id), Note::Beat(beat(count))], notes].concat()).unwrap();
        log
    };
    let members = |ids: &[Token]| Note::Members(ids.iter().copied().collect());
    let first = begin(own, 3, vec![members(&[other, third]), tag(20)]);
    let second = begin(other, 4, vec![members(&[own, third]), tag(30), Note::Longest(7)]);
    let _third = begin(third, 5, vec![tag(40)]);
    let [path, left] = [&first, &second].map(|log| log.path.clone());
    drop((first, second));
    for _ in 0..2 {
        let (log, taken) = Log::open(folder.path(), head(9), false).unwrap();
        assert_eq!((&log.path, &taken[..]), (&path, &[(other, beat(4))][..]));
        let bounds = log.bounds();
        assert_eq!((bounds.server, bounds.beat), (Some(own), beat(3)));
        assert_eq!(bounds.members, [own, third].into());
        assert_eq!((bounds.longest_ms, bounds.tags().map(|(_, end)| end).max()), (7, Some(30)));
        // Its server may end before the store knows.
        assert!(left.exists());
    }
    let (mut log, _) = Log::open(folder.path(), head(9), false).unwrap();
    log.take_over().unwrap();
    assert!(!left.exists());
    drop(log);
    assert_eq!(open(folder.path()).1, [30]);
    assert_eq!(known(folder.path(), STORE).unwrap().len(), 2, "also the one in use");
}

#[test]
fn what_is_no_journal_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = path(folder.path(), STORE, 1);
    std::fs::write(&path, "a letter to a friend\n").unwrap();
    let refused = Log::open(folder.path(), head(7), false).unwrap_err();
    assert_eq!(refused.code, Code::SchemaMismatch, "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a letter to a friend\n");
    let missing = Log::open(&folder.path().join("none"), head(7), false).unwrap_err();
    assert_eq!(missing.code, Code::StoreUnavailable, "{missing}");
}

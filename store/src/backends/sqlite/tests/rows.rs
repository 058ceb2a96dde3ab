//! Rows are written with all their columns, and read back as they were written.

use leafid_core::registry::{Namespace, TagRow, TagSpec, WorkerRow};
use leafid_core::{LINE_END, Layout, Name, Range, StoreTime, Token};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, StatementStatus};

use crate::backends::opening::Options;
use crate::backends::sqlite::driver::Driver;
use crate::backends::sqlite::file::open;
use crate::backends::{Answer, NamespaceRow, Seen, ServerWrite, Want, WorkerWrite, Write};
use crate::store::Page;
use leafid_turn::register::{Beat, Change, Line, Record, Server};
use leafid_turn::sql::{self, SQLITE, Step};

fn store() -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let clock = crate::clock::SystemClock;
    let create = Options { create: true, ..Options::default() };
    let (connection, ..) = open::open(&folder.path().join("a.db"), &clock, &create).unwrap();
    (folder, connection)
}

#[test]
fn each_column_that_changes_is_written_and_a_row_that_is_not_there_is_no_success() {
    let (_folder, connection) = store();
    let driver = Driver(&connection);
    let seen = |row: WorkerRow| Seen { row, revision: 0 };
    let put = |namespace: &Name, worker, before: Option<&WorkerRow>, after: &WorkerRow| {
        let (before, after) = (before.copied().map(seen), *after);
        let write = WorkerWrite { namespace: *namespace, worker, before, after };
        driver.put(&[Write::Worker(Box::new(write))])
    };
    let worker = |namespace: &Name, worker| {
        let found = driver.look(&Want::Worker(*namespace, worker)).unwrap();
        found.workers().first().copied()
    };
    let (ns, other) = (Name::namespace("ns").unwrap(), Name::namespace("other").unwrap());
    let first = WorkerRow {
        owner: Name::owner("a").unwrap(),
        sticky: true,
        key: Some(Token::new([1; 16])),
        held_from: 10,
        reserved_until: 20,
        granted: StoreTime::new(30),
    };
    for place in [ns, other] {
        assert!(put(&place, 7, None, &first).unwrap());
    }
    let mut before = first;
    for row in [
        WorkerRow { owner: Name::EMPTY, ..first },
        WorkerRow { sticky: false, ..first },
        WorkerRow { key: None, ..first },
        WorkerRow { held_from: 11, ..first },
        WorkerRow { reserved_until: 21, ..first },
        WorkerRow { granted: StoreTime::new(31), ..first },
        WorkerRow::default(),
        first,
        first,
    ] {
        assert!(put(&ns, 7, Some(&before), &row).unwrap());
        assert_eq!(worker(&ns, 7), Some((7, row)));
        if before != row {
            assert!(!put(&ns, 7, Some(&before), &first).unwrap(), "{before:?}");
            assert_eq!(worker(&ns, 7), Some((7, row)));
        }
        before = row;
    }
    assert_eq!(worker(&other, 7), Some((7, first)), "nobody else's row was touched");
    assert!(!put(&ns, 8, Some(&first), &WorkerRow::default()).unwrap());
    assert!(!put(&ns, 7, None, &first).unwrap());
}

#[test]
fn tags_and_namespaces_read_back_and_change_only_from_what_they_were() {
    let (_folder, connection) = store();
    let driver = Driver(&connection);
    let seen = |row| Some(Seen { row, revision: 0 });
    let page = Page { after: None, limit: 10 };

    let tag = Name::tag("orders").unwrap();
    let plain = TagRow::create(None, &TagSpec::default()).unwrap();
    let plain = TagRow { step: 2, max_step: 3, ..plain };
    let put = |before: Option<TagRow>, after| {
        let before = before.and_then(seen);
        driver.put(&[Write::Tag { tag, before, after }]).unwrap()
    };
    assert!(put(None, plain) && !put(None, plain));
    let mut was = plain;
    // One column at a time, and back.
    let rows = [
        TagRow { max_id: LINE_END, ..plain },
        TagRow { step: 1, ..plain },
        TagRow { max_step: 4, ..plain },
        TagRow { until: Some(LINE_END - 1), ..plain },
        TagRow { claimed_until: Some(LINE_END), ..plain },
        TagRow { deleted: true, ..plain },
    ];
    for row in rows.into_iter().flat_map(|row| [row, plain]) {
        assert!(put(Some(was), row) && !put(Some(was), was), "{row:?}");
        assert_eq!(driver.look(&Want::Tag(tag)).unwrap(), Answer::Tag(seen(row)));
        let listed = if row.deleted { Vec::new() } else { vec![(tag, row)] };
        assert_eq!(driver.look(&Want::Tags(page)).unwrap(), Answer::Tags(listed));
        was = row;
    }

    let name = Name::namespace("a").unwrap();
    let space = Namespace::create(Layout::EDGE, Some(Range::new(3, 9)), Some(7_000)).unwrap();
    let first = NamespaceRow { namespace: Namespace { floor: 5, ..space }, used_until: 3 };
    let put = |before: Option<NamespaceRow>, after| {
        let before = before.map(|row| Seen { row, revision: 0 });
        driver.put(&[Write::Namespace { namespace: name, before, after }]).unwrap()
    };
    let same = |row| driver.put(&[Write::Same(name, Seen { row, revision: 0 })]).unwrap();
    assert!(!same(first) && put(None, first) && !put(None, first) && same(first));
    let mut was = first;
    let rows = [
        NamespaceRow { used_until: 4, ..first },
        NamespaceRow { namespace: Namespace { floor: 6, ..first.namespace }, ..first },
        NamespaceRow { namespace: Namespace { layout: Layout::LEAF, ..first.namespace }, ..first },
        NamespaceRow {
            namespace: Namespace { workers: Range::new(3, 8), ..first.namespace },
            ..first
        },
        NamespaceRow { namespace: Namespace { max_window_ms: 7_001, ..first.namespace }, ..first },
    ];
    for row in rows.into_iter().flat_map(|row| [row, first]) {
        assert!(put(Some(was), row) && !put(Some(was), was), "{row:?}");
        let found = driver.look(&Want::Namespace(name)).unwrap();
        assert_eq!(found, Answer::Namespace(Some(Seen { row, revision: 0 })));
        // The numbers handed out meanwhile do not matter.
        assert!(same(NamespaceRow { used_until: 8, ..row }));
        assert_eq!(same(was), was.namespace == row.namespace, "{row:?}");
        let Answer::Namespaces(listed) = driver.look(&Want::Namespaces(page)).unwrap() else {
            panic!("not namespaces")
        };
        assert!(listed.contains(&(name, row.namespace)) && listed.len() == 2, "{listed:?}");
        was = row;
    }
}

#[test]
fn a_servers_record_is_written_only_where_it_is_as_it_was_read() {
    let (_folder, connection) = store();
    let driver = Driver(&connection);
    let put = |before: Option<&Server>, after: Option<&Server>| {
        let (before, after) = (before.cloned(), after.cloned());
        driver.put(&[Write::Server(Box::new(ServerWrite { before, after }))]).unwrap()
    };
    let look = || driver.look(&Want::Servers).unwrap();
    let of = |n, count| Server {
        id: Token::new([n; 16]),
        beat: Beat { life: 1, salt: 7, count },
        record: Record {
            name: format!("host {n}"),
            lines: vec![Change { before: 1, line: Line::tag(Name::tag("orders").unwrap(), count) }],
            ..Record::default()
        },
        revision: 0,
    };
    let (one, later, other) = (of(1, 1), of(1, 2), of(2, 1));
    assert!(put(None, Some(&other)) && put(None, Some(&one)) && !put(None, Some(&one)));
    assert_eq!(look(), Answer::Servers(vec![one.clone(), other.clone()]));
    assert!(put(Some(&one), Some(&later)) && !put(Some(&one), Some(&later)));
    assert_eq!(look(), Answer::Servers(vec![later.clone(), other.clone()]));
    assert!(!put(Some(&one), None) && put(Some(&later), None) && !put(Some(&later), None));
    assert_eq!(look(), Answer::Servers(vec![other]));
}

/// A number that no column holds is refused, and so is a text with a missing parameter.
#[test]
fn a_number_beyond_63_bits_is_written_nowhere() {
    let (_folder, connection) = store();
    let driver = Driver(&connection);
    let tag = Name::tag("orders").unwrap();
    let after = TagRow { max_id: 1 << 63, ..TagRow::create(None, &TagSpec::default()).unwrap() };
    let refused = driver.put(&[Write::Tag { tag, before: None, after }]).unwrap_err();
    assert!(refused.to_string().contains("9223372036854775808"), "{refused}");
    assert_eq!(driver.look(&Want::Tag(tag)).unwrap(), Answer::Tag(None));
}

/// Preparing a text again would cost more than running it.
#[test]
fn no_text_is_prepared_again_for_what_is_bound() {
    assert_eq!(prepared_again(true), 0);
    // The control: by default SQLite does prepare again.
    assert!(prepared_again(false) > 0);
}

fn prepared_again(as_opened: bool) -> i32 {
    let (_folder, connection) = store();
    if !as_opened {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, false).unwrap();
    }
    let driver = Driver(&connection);
    let (ns, owner) = (Name::namespace("ns").unwrap(), Name::owner("a").unwrap());
    let (mut before, mut again) = (None, 0);
    for turn in 1..5 {
        let row = WorkerRow {
            owner,
            sticky: turn % 2 == 0,
            key: Some(Token::new([turn; 16])),
            held_from: turn.into(),
            reserved_until: turn.into(),
            granted: StoreTime::new(turn.into()),
        };
        let seen = before.map(|row| Seen { row, revision: 0 });
        let write = WorkerWrite { namespace: ns, worker: 7, before: seen, after: row };
        let write = Write::Worker(Box::new(write));
        assert!(driver.put(std::slice::from_ref(&write)).unwrap());
        before = Some(row);
        let (number, count) = (u32::from(turn), usize::from(turn));
        let wants = [
            Want::Mine(ns, Token::new([turn; 16])),
            Want::Own(ns, owner),
            Want::Rested(ns, count),
            Want::Kept(ns, count),
            Want::Unused { namespace: ns, from: number.into(), end: 100, count },
            Want::Worker(ns, number),
            Want::Workers(ns, Page { after: Some(number), limit: number }),
            Want::Tags(Page { after: None, limit: number }),
            Want::Namespaces(Page { after: None, limit: number }),
        ];
        let texts = wants.iter().map(|want| {
            driver.look(want).unwrap();
            sql::query(want).text
        });
        let written = sql::steps(&write, false).into_iter().map(|step| match step {
            Step::Write(query) | Step::Adjust(query) | Step::Find(query) => query.text,
        });
        for text in texts.chain(written) {
            let statement = connection.prepare_cached(SQLITE.text(text).sql).unwrap();
            assert!(statement.get_status(StatementStatus::Run) > 0, "{text}");
            again += statement.reset_status(StatementStatus::RePrepare);
        }
    }
    again
}

//! The rows of worker numbers: the candidates of an acquire, each found by an index that its text
//! names; lists; and what of a row is written.

use leafid_core::registry::{Worker, WorkerRow};
use leafid_core::{Name, Range, StoreTime, Token};
use rusqlite::{Error, Row, ToSql, named_params};

use super::rows::{Rows, name, signed, unsigned};
use crate::store::Page;

type Result<T> = std::result::Result<T, Error>;

const MINE: &str = include_str!("../../../../sql/sqlite/lookups/mine.sql");
const OWN: &str = include_str!("../../../../sql/sqlite/lookups/own.sql");
const RESTED: &str = include_str!("../../../../sql/sqlite/lookups/rested.sql");
const KEPT: &str = include_str!("../../../../sql/sqlite/lookups/kept.sql");
const UNUSED: &str = include_str!("../../../../sql/sqlite/lookups/unused.sql");
const LEAVING: &str = include_str!("../../../../sql/sqlite/rows/leaving.sql");
const WORKER: &str = include_str!("../../../../sql/sqlite/rows/worker.sql");
const WORKERS: &str = include_str!("../../../../sql/sqlite/rows/workers.sql");
/// After the columns that are set.
const AS_IT_WAS: &str = " WHERE namespace = ?1 AND worker = ?2 AND owner = ?3 AND sticky = ?4
    AND key IS ?5 AND held_from = ?6 AND reserved_until = ?7 AND granted_ms = ?8";
const WORKER_ADD: &str = include_str!("../../../../sql/sqlite/rows/worker_add.sql");

impl Rows<'_> {
    /// The row of this very request, if it was granted before.
    pub fn mine(&self, namespace: &Name, request: &Token) -> Result<Option<Worker>> {
        let key = request.bytes();
        let named = named_params! { ":namespace": namespace.as_str(), ":key": &key };
        self.one(MINE, named, read_worker)
    }

    /// The numbers that an owner keeps, two at most.
    pub fn own(&self, namespace: &Name, owner: &Name) -> Result<Vec<Worker>> {
        let named = named_params! { ":namespace": namespace.as_str(), ":owner": owner.as_str() };
        self.all(OWN, named, read_worker)
    }

    /// The numbers that nobody keeps, those that rested longest first.
    pub fn rested(&self, namespace: &Name, count: usize) -> Result<Vec<Worker>> {
        self.some(RESTED, namespace, count)
    }

    /// The kept numbers, those whose owners were not seen for longest first.
    pub fn kept(&self, namespace: &Name, count: usize) -> Result<Vec<Worker>> {
        self.some(KEPT, namespace, count)
    }

    fn some(&self, sql: &str, namespace: &Name, count: usize) -> Result<Vec<Worker>> {
        let count = signed(count as u64)?;
        let named = named_params! { ":namespace": namespace.as_str(), ":count": count };
        self.all(sql, named, read_worker)
    }

    /// So many of the lowest numbers from `from` on that have no row; none after the first that lies
    /// at or above `end`.
    pub fn unused(&self, namespace: &Name, from: u64, end: u64, count: usize) -> Result<Vec<u64>> {
        let mut found = Vec::new();
        let mut from = from;
        while found.len() < count && from <= end {
            let named = named_params! { ":namespace": namespace.as_str(), ":from": signed(from)? };
            let next = self.one(UNUSED, named, |row| unsigned(row, 0))?;
            let next = next.ok_or(Error::QueryReturnedNoRows)?;
            found.push(next);
            if next >= end {
                break;
            }
            from = next.saturating_add(1);
        }
        Ok(found)
    }

    /// The row of a number, if it was ever handed out.
    pub fn worker(&self, namespace: &Name, worker: u32) -> Result<Option<Worker>> {
        let named = named_params! { ":namespace": namespace.as_str(), ":worker": worker };
        self.one(WORKER, named, read_worker)
    }

    /// Of the numbers in one range and not in another, the one that is reserved longest.
    pub fn leaving(&self, namespace: &Name, before: Range, after: Range) -> Result<Option<Worker>> {
        let named = named_params! {
            ":namespace": namespace.as_str(),
            ":before_start": signed(before.start)?,
            ":before_end": signed(before.end)?,
            ":after_start": signed(after.start)?,
            ":after_end": signed(after.end)?,
        };
        self.one(LEAVING, named, read_worker)
    }

    /// The numbers of a namespace that have rows.
    pub fn workers(&self, namespace: &Name, page: Page<u32>) -> Result<Vec<Worker>> {
        let after = page.after.map_or(-1, i64::from);
        let named = named_params! {
            ":namespace": namespace.as_str(),
            ":after": after,
            ":limit": page.limit,
        };
        self.all(WORKERS, named, read_worker)
    }

    /// Writes the row of a number, if it is as it was; whether it was.
    pub fn put_worker(
        &self,
        namespace: &Name,
        worker: u32,
        before: Option<&WorkerRow>,
        row: &WorkerRow,
    ) -> Result<bool> {
        match before {
            None => self.add_worker(namespace, worker, row),
            Some(before) => self.change_worker(namespace, worker, before, row),
        }
    }

    fn add_worker(&self, namespace: &Name, worker: u32, row: &WorkerRow) -> Result<bool> {
        let is = Columns::of(row)?;
        let named = named_params! {
            ":namespace": namespace.as_str(),
            ":worker": worker,
            ":owner": is.owner,
            ":sticky": is.sticky,
            ":key": is.key,
            ":held_from": is.held_from,
            ":reserved_until": is.reserved_until,
            ":granted_ms": is.granted_ms,
        };
        self.write(WORKER_ADD, named)
    }

    // Only columns that change are set: SQLite takes a row out of every index that has one of them
    // and puts it back, also where the value stays, and each is a page more to be written.
    fn change_worker(
        &self,
        namespace: &Name,
        worker: u32,
        before: &WorkerRow,
        row: &WorkerRow,
    ) -> Result<bool> {
        let (was, is) = (Columns::of(before)?, Columns::of(row)?);
        let (was, is) = (was.values(), is.values());
        let namespace = namespace.as_str();
        let mut values: Vec<&dyn ToSql> = vec![&namespace, &worker];
        values.extend(was);
        let changes = [
            ("owner", before.owner != row.owner),
            ("sticky", before.sticky != row.sticky),
            ("key", before.key != row.key),
            ("held_from", before.held_from != row.held_from),
            ("reserved_until", before.reserved_until != row.reserved_until),
            ("granted_ms", before.granted != row.granted),
        ];
        let mut sql = "UPDATE workers SET".to_owned();
        for ((column, _), value) in changes.into_iter().zip(is).filter(|((_, it), _)| *it) {
            let comma = if values.len() > 8 { "," } else { "" };
            values.push(value);
            sql.push_str(&format!("{comma} {column} = ?{}", values.len()));
        }
        if before == row {
            // Nothing changes: what is left is the condition.
            sql.push_str(" worker = worker");
        }
        sql.push_str(AS_IT_WAS);
        self.write(&sql, &values[..])
    }
}

/// The columns of a row, as SQLite takes them.
struct Columns<'r> {
    owner: &'r str,
    sticky: bool,
    key: Option<[u8; 16]>,
    held_from: i64,
    reserved_until: i64,
    granted_ms: i64,
}

impl<'r> Columns<'r> {
    fn of(row: &'r WorkerRow) -> Result<Columns<'r>> {
        Ok(Columns {
            owner: row.owner.as_str(),
            sticky: row.sticky,
            key: row.key.map(|key| key.bytes()),
            held_from: signed(row.held_from)?,
            reserved_until: signed(row.reserved_until)?,
            granted_ms: row.granted.get(),
        })
    }

    fn values(&self) -> [&dyn ToSql; 6] {
        let Columns { owner, sticky, key, held_from, reserved_until, granted_ms } = self;
        [owner, sticky, key, held_from, reserved_until, granted_ms]
    }
}

/// Reads the columns that all texts have.
fn read_worker(row: &Row<'_>) -> Result<Worker> {
    let nobody = |text: &str| if text.is_empty() { Ok(Name::EMPTY) } else { Name::owner(text) };
    let key: Option<[u8; 16]> = row.get(3)?;
    let read = WorkerRow {
        owner: name(row, 1, nobody)?,
        sticky: row.get(2)?,
        key: key.map(Token::new),
        held_from: unsigned(row, 4)?,
        reserved_until: unsigned(row, 5)?,
        granted: StoreTime::new(row.get(6)?),
    };
    Ok((row.get(0)?, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::opening::Options;
    use crate::backends::sqlite::open;

    #[test]
    fn each_column_that_changes_is_written_and_a_row_that_is_not_there_is_no_success() {
        let folder = tempfile::tempdir().unwrap();
        let clock = crate::clock::SystemClock;
        let create = Options { create: true, ..Options::default() };
        let opened = open::open(&folder.path().join("a.db"), &clock, &create).unwrap();
        let rows = Rows::new(&opened.connection);
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
            assert!(rows.put_worker(&place, 7, None, &first).unwrap());
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
            assert!(rows.put_worker(&ns, 7, Some(&before), &row).unwrap());
            assert_eq!(rows.worker(&ns, 7).unwrap(), Some((7, row)));
            if before != row {
                assert!(!rows.put_worker(&ns, 7, Some(&before), &first).unwrap(), "{before:?}");
                assert_eq!(rows.worker(&ns, 7).unwrap(), Some((7, row)));
            }
            before = row;
        }
        assert_eq!(
            rows.worker(&other, 7).unwrap(),
            Some((7, first)),
            "nobody else's row was touched"
        );
        assert!(!rows.put_worker(&ns, 8, Some(&first), &WorkerRow::default()).unwrap());
        assert!(!rows.put_worker(&ns, 7, None, &first).unwrap());
    }
}

//! The rows of worker numbers: the candidates of an acquire, each found by an index that its text
//! names; lists; and what of a row is written.

use leafid_core::registry::{Worker, WorkerRow};
use leafid_core::{Name, StoreTime, Token};
use rusqlite::{Error, Params, Row, ToSql, named_params};

use super::rows::{Rows, name, signed, unsigned};
use crate::store::Page;

type Result<T> = std::result::Result<T, Error>;

const MINE: &str = include_str!("../../../../sql/sqlite/lookups/mine.sql");
const OWN: &str = include_str!("../../../../sql/sqlite/lookups/own.sql");
const RESTED: &str = include_str!("../../../../sql/sqlite/lookups/rested.sql");
const KEPT: &str = include_str!("../../../../sql/sqlite/lookups/kept.sql");
const UNUSED: &str = include_str!("../../../../sql/sqlite/lookups/unused.sql");

const WORKER: &str = "worker, owner, sticky, key, held_from, reserved_until, granted_ms";

impl Rows<'_> {
    /// The row of this very request, if it was granted before.
    pub fn mine(&self, namespace: &Name, request: &Token) -> Result<Option<Worker>> {
        let key = request.bytes();
        let named = named_params! { ":namespace": namespace.as_str(), ":key": &key };
        self.one(MINE, named, read_worker)
    }

    /// The numbers that an owner keeps, two at most.
    pub fn own(&self, namespace: &Name, owner: &Name) -> Result<[Option<Worker>; 2]> {
        let named = named_params! { ":namespace": namespace.as_str(), ":owner": owner.as_str() };
        let mut found = self.all(OWN, named, read_worker)?.into_iter();
        Ok([found.next(), found.next()])
    }

    /// Of the numbers that nobody keeps, the one that rested longest.
    pub fn rested(&self, namespace: &Name) -> Result<Option<Worker>> {
        self.one(RESTED, named_params! { ":namespace": namespace.as_str() }, read_worker)
    }

    /// The kept number whose owner was not seen for longest.
    pub fn kept(&self, namespace: &Name) -> Result<Option<Worker>> {
        self.one(KEPT, named_params! { ":namespace": namespace.as_str() }, read_worker)
    }

    /// The lowest number from `from` on that was never handed out; it may lie beyond the range.
    pub fn unused(&self, namespace: &Name, from: u64) -> Result<u64> {
        let named = named_params! { ":namespace": namespace.as_str(), ":from": signed(from)? };
        let found = self.one(UNUSED, named, |row| unsigned(row, 0))?;
        found.ok_or(Error::QueryReturnedNoRows)
    }

    /// The row of a number, if it was ever handed out.
    pub fn worker(&self, namespace: &Name, worker: u32) -> Result<Option<WorkerRow>> {
        let found = self.worker_where("worker = ?2", (namespace.as_str(), worker))?;
        Ok(found.map(|(_, row)| row))
    }

    /// The first number that meets a condition over `?1` (the namespace) and further parameters.
    pub fn worker_where(&self, condition: &str, params: impl Params) -> Result<Option<Worker>> {
        let sql =
            format!("SELECT {WORKER} FROM workers WHERE namespace = ?1 AND {condition} LIMIT 1");
        self.one(&sql, params, read_worker)
    }

    /// The numbers of a namespace that have rows.
    pub fn workers(&self, namespace: &Name, page: Page<u32>) -> Result<Vec<Worker>> {
        let sql = format!(
            "SELECT {WORKER} FROM workers WHERE namespace = ?1 AND worker > ?2
             ORDER BY worker LIMIT ?3"
        );
        let after = page.after.map_or(-1, i64::from);
        self.all(&sql, (namespace.as_str(), after, page.limit), read_worker)
    }

    /// Writes the row of a number, which was `before`, or had none.
    pub fn put_worker(
        &self,
        namespace: &Name,
        worker: u32,
        before: Option<&WorkerRow>,
        row: &WorkerRow,
    ) -> Result<()> {
        match before {
            None => self.add_worker(namespace, worker, row),
            Some(before) => self.change_worker(namespace, worker, before, row),
        }
    }

    fn add_worker(&self, namespace: &Name, worker: u32, row: &WorkerRow) -> Result<()> {
        let sql = "INSERT INTO workers (namespace, worker, owner, sticky, key, held_from,
                       reserved_until, granted_ms)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let WorkerRow { owner, sticky, key, held_from, reserved_until, granted } = *row;
        let (held_from, reserved_until) = (signed(held_from)?, signed(reserved_until)?);
        let key = key.map(|key| key.bytes());
        let (namespace, owner) = (namespace.as_str(), owner.as_str());
        let granted = granted.get();
        self.write(sql, (namespace, worker, owner, sticky, key, held_from, reserved_until, granted))
    }

    // Only columns that change are set: SQLite takes a row out of every index that has one of them
    // and puts it back, also where the value stays, and each is a page more to be written.
    fn change_worker(
        &self,
        namespace: &Name,
        worker: u32,
        before: &WorkerRow,
        row: &WorkerRow,
    ) -> Result<()> {
        let WorkerRow { owner, sticky, key, held_from, reserved_until, granted } = *row;
        let (held_from, reserved_until) = (signed(held_from)?, signed(reserved_until)?);
        let (key, owner) = (key.map(|key| key.bytes()), owner.as_str());
        let (namespace, granted) = (namespace.as_str(), granted.get());
        let columns: [(&str, bool, &dyn ToSql); 6] = [
            ("owner", before.owner == row.owner, &owner),
            ("sticky", before.sticky == row.sticky, &sticky),
            ("key", before.key == row.key, &key),
            ("held_from", before.held_from == row.held_from, &held_from),
            ("reserved_until", before.reserved_until == row.reserved_until, &reserved_until),
            ("granted_ms", before.granted == row.granted, &granted),
        ];
        let mut values: Vec<&dyn ToSql> = vec![&namespace, &worker];
        let mut set = Vec::new();
        for (column, _, value) in columns.into_iter().filter(|(_, stays, _)| !stays) {
            values.push(value);
            set.push(format!("{column} = ?{}", values.len()));
        }
        if set.is_empty() {
            return Ok(());
        }
        let set = set.join(", ");
        let sql = format!("UPDATE workers SET {set} WHERE namespace = ?1 AND worker = ?2");
        match self.connection.prepare_cached(&sql)?.execute(&values[..])? {
            1 => Ok(()),
            others => Err(Error::StatementChangedRows(others)),
        }
    }
}

/// Reads the columns of [`WORKER`].
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
    use crate::stores::sqlite::{Options, open};

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
            rows.put_worker(&place, 7, None, &first).unwrap();
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
            rows.put_worker(&ns, 7, Some(&before), &row).unwrap();
            assert_eq!(rows.worker(&ns, 7).unwrap(), Some(row));
            before = row;
        }
        assert_eq!(rows.worker(&other, 7).unwrap(), Some(first), "nobody else's row was touched");
        rows.put_worker(&ns, 8, Some(&first), &WorkerRow::default()).unwrap_err();
        rows.put_worker(&ns, 7, None, &first).unwrap_err();
    }
}

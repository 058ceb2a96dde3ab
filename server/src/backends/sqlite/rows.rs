//! The tables, read and written row by row. Nothing is decided here.

use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{Layout, Name, Range, Refusal, StoreTime};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params};

use crate::backends::NamespaceRow;
use crate::store::Page;

type Result<T> = std::result::Result<T, rusqlite::Error>;

const TAG: &str = "max_id, step, max_step, deleted, tag";
const NAMESPACE: &str = "epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits, max_window_ms, \
                         workers_start, workers_end, floor, used_until, namespace";
const RANGE: &str = include_str!("../../../../sql/sqlite/range.sql");

/// The tables inside one transaction.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'c> {
    pub(super) connection: &'c Connection,
}

impl<'c> Rows<'c> {
    /// The tables of this connection.
    pub fn new(connection: &'c Connection) -> Rows<'c> {
        Rows { connection }
    }

    /// The greatest time that was ever written with a grant.
    pub fn latest_grant(&self) -> Result<StoreTime> {
        let latest = "SELECT coalesce(max(granted_ms), 0) FROM workers";
        self.connection.query_row(latest, [], |row| row.get(0)).map(StoreTime::new)
    }

    /// The longest window of any namespace, in ms.
    pub fn longest_window_ms(&self) -> Result<i64> {
        let longest = "SELECT coalesce(max(max_window_ms), 0) FROM namespaces";
        self.connection.query_row(longest, [], |row| row.get(0))
    }

    /// A tag, tombstones included.
    pub fn tag(&self, tag: &Name) -> Result<Option<TagRow>> {
        let sql = format!("SELECT {TAG} FROM tags WHERE tag = ?1");
        self.one(&sql, [tag.as_str()], read_tag)
    }

    /// Tags that are not deleted, by name.
    pub fn tags(&self, page: Page<Name>) -> Result<Vec<(Name, TagRow)>> {
        let sql =
            format!("SELECT {TAG} FROM tags WHERE tag > ?1 AND deleted = 0 ORDER BY tag LIMIT ?2");
        let after = page.after.unwrap_or(Name::EMPTY);
        self.all(&sql, (after.as_str(), page.limit), |row| {
            Ok((name(row, 4, Name::tag)?, read_tag(row)?))
        })
    }

    /// Writes a tag, if it is as it was; whether it was.
    pub fn put_tag(&self, tag: &Name, before: Option<&TagRow>, row: &TagRow) -> Result<bool> {
        let TagRow { max_id, step, max_step, deleted } = *row;
        let (tag, max_id) = (tag.as_str(), signed(max_id)?);
        let Some(before) = before else {
            let add = "INSERT INTO tags (tag, max_id, step, max_step, deleted)
                       VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
            return self.write(add, (tag, max_id, step, max_step, deleted));
        };
        let change = "UPDATE tags SET max_id = ?2, step = ?3, max_step = ?4, deleted = ?5
                      WHERE tag = ?1 AND max_id = ?6 AND step = ?7 AND max_step = ?8
                          AND deleted = ?9";
        let was = (signed(before.max_id)?, before.step, before.max_step, before.deleted);
        self.write(change, (tag, max_id, step, max_step, deleted, was.0, was.1, was.2, was.3))
    }

    /// A namespace.
    pub fn namespace(&self, name: &Name) -> Result<Option<NamespaceRow>> {
        let sql = format!("SELECT {NAMESPACE} FROM namespaces WHERE namespace = ?1");
        self.one(&sql, [name.as_str()], |row| {
            Ok(NamespaceRow { namespace: read_namespace(row)?, used_until: unsigned(row, 9)? })
        })
    }

    /// Namespaces, by name.
    pub fn namespaces(&self, page: Page<Name>) -> Result<Vec<(Name, Namespace)>> {
        let sql = format!(
            "SELECT {NAMESPACE} FROM namespaces WHERE namespace > ?1 ORDER BY namespace LIMIT ?2"
        );
        let after = page.after.unwrap_or(Name::EMPTY);
        self.all(&sql, (after.as_str(), page.limit), |row| {
            Ok((name(row, 10, Name::namespace)?, read_namespace(row)?))
        })
    }

    /// Writes a namespace, if it is as it was, and notes which numbers its range has; whether it
    /// was.
    pub fn put_namespace(
        &self,
        name: &Name,
        before: Option<&NamespaceRow>,
        row: &NamespaceRow,
    ) -> Result<bool> {
        if self.namespace(name)?.as_ref() != before {
            return Ok(false);
        }
        let NamespaceRow { namespace, used_until } = *row;
        if before.is_some_and(|before| before.namespace == namespace) {
            let sql = "UPDATE namespaces SET used_until = ?2 WHERE namespace = ?1";
            return self.write(sql, (name.as_str(), signed(used_until)?));
        }
        let sql = "INSERT OR REPLACE INTO namespaces (namespace, epoch_ms, tick_ms, time_bits,
                       worker_bits, sequence_bits, max_window_ms, workers_start, workers_end,
                       floor, used_until)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        let Namespace { layout, max_window_ms, workers, floor } = namespace;
        let (start, end) = (signed(workers.start)?, signed(workers.end)?);
        let range = named_params! { ":namespace": name.as_str(), ":start": start, ":end": end };
        self.write(RANGE, range)?;
        self.write(
            sql,
            (
                name.as_str(),
                layout.epoch_ms(),
                layout.tick_ms(),
                layout.time_bits(),
                layout.worker_bits(),
                layout.sequence_bits(),
                max_window_ms,
                start,
                end,
                signed(floor)?,
                signed(used_until)?,
            ),
        )
    }

    pub(super) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.connection.prepare_cached(sql)?.query_row(params, read).optional()
    }

    pub(super) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.connection.prepare_cached(sql)?.query_map(params, read)?.collect()
    }

    /// Whether a row was written.
    pub(super) fn write(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.connection.prepare_cached(sql)?.execute(params)? > 0)
    }
}

fn read_tag(row: &Row<'_>) -> Result<TagRow> {
    Ok(TagRow {
        max_id: unsigned(row, 0)?,
        step: row.get(1)?,
        max_step: row.get(2)?,
        deleted: row.get(3)?,
    })
}

fn read_namespace(row: &Row<'_>) -> Result<Namespace> {
    let layout = Layout::new(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
    let layout = layout.map_err(|refusal| wrong(0, refusal))?;
    let workers = Range::new(unsigned(row, 6)?, unsigned(row, 7)?);
    Ok(Namespace { layout, max_window_ms: row.get(5)?, workers, floor: unsigned(row, 8)? })
}

pub(super) fn name(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> std::result::Result<Name, Refusal>,
) -> Result<Name> {
    let text: String = row.get(column)?;
    read(&text).map_err(|refusal| wrong(column, refusal))
}

pub(super) fn unsigned(row: &Row<'_>, column: usize) -> Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

pub(super) fn signed(value: u64) -> Result<i64> {
    i64::try_from(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn wrong(column: usize, refusal: Refusal) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, refusal.into())
}

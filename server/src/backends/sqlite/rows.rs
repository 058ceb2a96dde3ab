//! The tables, read and written row by row. Nothing is decided here.

use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{Layout, Name, Range, Refusal, StoreTime};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params};

use crate::backends::NamespaceRow;
use crate::store::Page;

type Result<T> = std::result::Result<T, rusqlite::Error>;

const TAG: &str = include_str!("../../../../sql/sqlite/rows/tag.sql");
const TAGS: &str = include_str!("../../../../sql/sqlite/rows/tags.sql");
const TAG_ADD: &str = include_str!("../../../../sql/sqlite/rows/tag_add.sql");
const TAG_CHANGE: &str = include_str!("../../../../sql/sqlite/rows/tag_change.sql");
const NAMESPACE: &str = include_str!("../../../../sql/sqlite/rows/namespace.sql");
const NAMESPACES: &str = include_str!("../../../../sql/sqlite/rows/namespaces.sql");
const NAMESPACE_PUT: &str = include_str!("../../../../sql/sqlite/rows/namespace_put.sql");
const NAMESPACE_USED: &str = include_str!("../../../../sql/sqlite/rows/namespace_used.sql");
const RANGE: &str = include_str!("../../../../sql/sqlite/rows/range.sql");

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
        self.one(TAG, named_params! { ":tag": tag.as_str() }, read_tag)
    }

    /// Tags that are not deleted, by name.
    pub fn tags(&self, page: Page<Name>) -> Result<Vec<(Name, TagRow)>> {
        let after = page.after.unwrap_or(Name::EMPTY);
        let named = named_params! { ":after": after.as_str(), ":limit": page.limit };
        self.all(TAGS, named, |row| Ok((name(row, 4, Name::tag)?, read_tag(row)?)))
    }

    /// Writes a tag, if it is as it was; whether it was.
    pub fn put_tag(&self, tag: &Name, before: Option<&TagRow>, row: &TagRow) -> Result<bool> {
        let (tag, max_id) = (tag.as_str(), signed(row.max_id)?);
        let until = row.until.map(signed).transpose()?;
        let Some(was) = before else {
            let named = named_params! {
                ":tag": tag,
                ":max_id": max_id,
                ":step": row.step,
                ":max_step": row.max_step,
                ":deleted": row.deleted,
                ":until": until,
            };
            return self.write(TAG_ADD, named);
        };
        let named = named_params! {
            ":tag": tag,
            ":max_id": max_id,
            ":step": row.step,
            ":max_step": row.max_step,
            ":deleted": row.deleted,
            ":until": until,
            ":was_max_id": signed(was.max_id)?,
            ":was_step": was.step,
            ":was_max_step": was.max_step,
            ":was_deleted": was.deleted,
            ":was_until": was.until.map(signed).transpose()?,
        };
        self.write(TAG_CHANGE, named)
    }

    /// A namespace.
    pub fn namespace(&self, name: &Name) -> Result<Option<NamespaceRow>> {
        self.one(NAMESPACE, named_params! { ":namespace": name.as_str() }, |row| {
            Ok(NamespaceRow { namespace: read_namespace(row)?, used_until: unsigned(row, 9)? })
        })
    }

    /// Namespaces, by name.
    pub fn namespaces(&self, page: Page<Name>) -> Result<Vec<(Name, Namespace)>> {
        let after = page.after.unwrap_or(Name::EMPTY);
        let named = named_params! { ":after": after.as_str(), ":limit": page.limit };
        self.all(NAMESPACES, named, |row| {
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
        let (name, used_until) = (name.as_str(), signed(row.used_until)?);
        if before.is_some_and(|before| before.namespace == row.namespace) {
            let named = named_params! { ":namespace": name, ":used_until": used_until };
            return self.write(NAMESPACE_USED, named);
        }
        let Namespace { layout, max_window_ms, workers, floor } = row.namespace;
        let (start, end) = (signed(workers.start)?, signed(workers.end)?);
        self.write(RANGE, named_params! { ":namespace": name, ":start": start, ":end": end })?;
        let named = named_params! {
            ":namespace": name,
            ":epoch_ms": layout.epoch_ms(),
            ":tick_ms": layout.tick_ms(),
            ":time_bits": layout.time_bits(),
            ":worker_bits": layout.worker_bits(),
            ":sequence_bits": layout.sequence_bits(),
            ":max_window_ms": max_window_ms,
            ":workers_start": start,
            ":workers_end": end,
            ":floor": signed(floor)?,
            ":used_until": used_until,
        };
        self.write(NAMESPACE_PUT, named)
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
        until: optional(row, 5)?,
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

fn optional(row: &Row<'_>, column: usize) -> Result<Option<u64>> {
    let value: Option<i64> = row.get(column)?;
    value.map(|_| unsigned(row, column)).transpose()
}

pub(super) fn signed(value: u64) -> Result<i64> {
    i64::try_from(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn wrong(column: usize, refusal: Refusal) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, refusal.into())
}

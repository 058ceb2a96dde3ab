//! The candidates of an acquire, each found by an index that its text names.

use leafid_core::registry::Worker;
use leafid_core::{Name, Token};
use rusqlite::{Params, named_params};

use super::rows::{Rows, read_worker, signed, unsigned};

type Result<T> = std::result::Result<T, rusqlite::Error>;

const MINE: &str = include_str!("../../../../sql/sqlite/lookups/mine.sql");
const OWN: &str = include_str!("../../../../sql/sqlite/lookups/own.sql");
const RESTED: &str = include_str!("../../../../sql/sqlite/lookups/rested.sql");
const KEPT: &str = include_str!("../../../../sql/sqlite/lookups/kept.sql");
const UNUSED: &str = include_str!("../../../../sql/sqlite/lookups/unused.sql");

impl Rows<'_> {
    /// The row of this very request, if it was granted before.
    pub fn mine(&self, namespace: &Name, request: &Token) -> Result<Option<Worker>> {
        let key = request.bytes();
        self.first(MINE, named_params! { ":namespace": namespace.as_str(), ":key": &key })
    }

    /// The numbers that an owner keeps: two after a race over two servers, one at most otherwise.
    pub fn own(&self, namespace: &Name, owner: &Name) -> Result<[Option<Worker>; 2]> {
        let named = named_params! { ":namespace": namespace.as_str(), ":owner": owner.as_str() };
        let mut found = self.all(OWN, named, read_worker)?.into_iter();
        Ok([found.next(), found.next()])
    }

    /// Of the numbers that nobody keeps, the one that rested longest.
    pub fn rested(&self, namespace: &Name) -> Result<Option<Worker>> {
        self.first(RESTED, named_params! { ":namespace": namespace.as_str() })
    }

    /// The kept number whose owner was not seen for longest.
    pub fn kept(&self, namespace: &Name) -> Result<Option<Worker>> {
        self.first(KEPT, named_params! { ":namespace": namespace.as_str() })
    }

    /// The lowest number from `from` on that was never handed out; it may lie beyond the range.
    pub fn unused(&self, namespace: &Name, from: u64) -> Result<u64> {
        let named = named_params! { ":namespace": namespace.as_str(), ":from": signed(from)? };
        let found = self.one(UNUSED, named, |row| unsigned(row, 0))?;
        found.ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn first(&self, sql: &str, params: impl Params) -> Result<Option<Worker>> {
        self.one(sql, params, read_worker)
    }
}

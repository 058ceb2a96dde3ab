//! What a store says of itself: whether it is made, its one row in `meta`, and what stands in its
//! tables.

use leafid_core::{StoreTime, Token};
use leafid_sql::VERSION;

use super::about::query;
use super::driver::{Breakage, Broken, Did, Driver, Ending};
use super::rows::{Odd, Row};
use crate::backends::opening::{Found, words};
use crate::backends::sql::{Query, Step};
use crate::problem::Problem;

/// The row of `meta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The version of the tables.
    pub version: i64,
    /// The store's id.
    pub store: Token,
    /// Before when no window begins; 0 unless the store replaces a lost one.
    pub floor: StoreTime,
    /// When the store wrote its time last.
    pub beat: StoreTime,
}

impl Meta {
    /// Refuses tables of another version.
    pub fn of_this_version(self, place: &str) -> Result<Meta, Problem> {
        match self.version {
            VERSION => Ok(self),
            other => Err(words::other_version(place, "tables", other, VERSION)),
        }
    }
}

/// What is there of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// None of its tables, or not all of it.
    Not,
    /// Its tables.
    Tables,
    /// A table of another program that has the name of one of ours.
    Foreign(String),
}

/// Whether the tables of a store are there.
pub async fn made<D: Driver>(driver: &mut D) -> Result<Made, Broken> {
    let rows = ask(driver, query(D::ABOUT.made, |_| {})).await?;
    let mut tables = Vec::new();
    for row in &rows {
        let name = row.text(0).map_err(odd)?.to_owned();
        tables.push((name, row.int(1).map_err(odd)? > 0));
    }
    // Beside another program's tables ours are called `leafid_…`.
    let is_meta = |name: &str| name.strip_prefix("leafid_").unwrap_or(name) == "meta";
    let ours = tables.iter().any(|(name, versioned)| is_meta(name) && *versioned);
    Ok(match tables.first() {
        None => Made::Not,
        Some(_) if ours => Made::Tables,
        Some((name, _)) => Made::Foreign(name.clone()),
    })
}

/// What the store says of itself, if its making was finished.
pub async fn meta<D: Driver>(driver: &mut D) -> Result<Option<Meta>, Broken> {
    let rows = ask(driver, query(D::ABOUT.meta, |_| {})).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let read = || {
        Ok(Meta {
            version: row.int(0)?,
            store: row.token(1)?,
            floor: StoreTime::new(row.int(2)?),
            beat: StoreTime::new(row.int(3)?),
        })
    };
    read().map(Some).map_err(odd)
}

/// Counts what stands in the tables; the longest window, too.
pub async fn found<D: Driver>(
    driver: &mut D,
    meta: &Meta,
    created: bool,
) -> Result<(Found, u64), Broken> {
    let position = driver.named().await?.position;
    let rows = ask(driver, query(D::ABOUT.found, |_| {})).await?;
    let row = rows.first().ok_or_else(|| odd(Odd("no counts".to_owned())))?;
    let read = || {
        let some = |at: StoreTime| (at.get() > 0).then_some(at);
        let granted = StoreTime::new(row.int(3)?);
        let found = Found {
            created,
            tags: row.number(0)?,
            namespaces: row.number(1)?,
            last_grant: some(granted),
            last_used: some(granted.max(meta.beat)),
            floor: some(meta.floor),
            position,
        };
        Ok((found, row.number(2)?))
    };
    read().map_err(odd)
}

/// The other programs of ours that have the database open, as a list; empty where there are none, and
/// where the database does not tell.
pub async fn others<D: Driver>(driver: &mut D) -> Result<String, Broken> {
    let Some(text) = D::ABOUT.others else { return Ok(String::new()) };
    let rows = ask(driver, query(text, |_| {})).await?;
    rows.first().map_or(Ok(""), |row| row.text(0)).map(str::to_owned).map_err(odd)
}

/// The database's time, in ms.
pub async fn now<D: Driver>(driver: &mut D) -> Result<i64, Broken> {
    let rows = ask(driver, query(D::ABOUT.now, |_| {})).await?;
    rows.first().map_or(Err(Odd("no time".to_owned())), |row| row.int(0)).map_err(odd)
}

/// The rows that one statement finds.
pub async fn ask<D: Driver>(driver: &mut D, asked: Query) -> Result<Vec<Row>, Broken> {
    let mut read = driver.read(&[asked]).await?;
    Ok(read.pop().unwrap_or_default())
}

/// Writes by one statement that stands for itself, or in the transaction that is open.
pub async fn write<D: Driver>(driver: &mut D, asked: Query) -> Result<Did, Broken> {
    let did = driver.write(&[&[Step::Adjust(asked)]], Ending::Alone).await?;
    Ok(did.first().and_then(|group| group.first()).copied().unwrap_or_default())
}

/// A row that says what no row of ours does is not ours to write over.
pub fn odd(odd: Odd) -> Broken {
    Broken { detail: odd.0, kind: Breakage::Refused }
}

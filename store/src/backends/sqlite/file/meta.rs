//! What a store says of itself: its one row in `meta`, and what stands in its tables.

use std::path::Path;

use leafid_core::{Code, StoreTime, Token};
use rusqlite::types::FromSql;
use rusqlite::{Connection, TransactionBehavior};

use crate::backends::opening::{Found, judge_clock, words};
use crate::problem::Problem;

const LATEST_GRANT: &str = "SELECT coalesce(max(granted_ms), 0) FROM workers";
const BEAT: &str = "SELECT beat_ms FROM meta";

/// The store's id.
///
/// # Errors
/// `SCHEMA_MISMATCH` without one.
pub fn store(connection: &Connection, path: &Path) -> Result<Token, Problem> {
    let id = connection.query_row("SELECT store FROM meta", [], |row| row.get(0));
    id.map(Token::new).map_err(|error| {
        let detail = format!("`{}` has no id in its table `meta`: {error}", path.display());
        Problem::new(Code::SchemaMismatch, detail)
    })
}

/// Counts what stands in the tables.
///
/// # Errors
/// The file failed.
pub fn found(connection: &Connection, created: bool) -> Result<Found, rusqlite::Error> {
    let counts = [
        number(connection, "SELECT count(*) FROM tags WHERE deleted = 0")?,
        number(connection, "SELECT count(*) FROM namespaces")?,
    ];
    let time = |sql| number(connection, sql).map(StoreTime::new);
    let times = [time(LATEST_GRANT)?, time(BEAT)?, time("SELECT floor_ms FROM meta")?];
    Ok(Found::of(created, counts, times, position(connection)?))
}

/// Refuses a wall clock that strays from what the store knows, or has the store follow it: no
/// grant is later than now then. How far each number is reserved stays, and that alone keeps IDs
/// unique.
///
/// # Errors
/// `STORE_REFUSED` with both times, and what the file fails by.
pub fn check_clock(
    connection: &mut Connection,
    source: StoreTime,
    believe: bool,
) -> Result<Result<(), Problem>, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let read = |sql| number(&transaction, sql).map(StoreTime::new);
    let times = [read(LATEST_GRANT)?, read(BEAT)?];
    let known = match judge_clock("this machine's clock", source, times, believe) {
        Ok(Some(known)) => known,
        judged => return Ok(judged.map(drop)),
    };
    let lowered = "UPDATE workers SET granted_ms = ?1 WHERE granted_ms > ?1";
    let lowered = transaction.execute(lowered, [source.get()])?;
    transaction.execute("UPDATE meta SET beat_ms = ?1", [source.get()])?;
    transaction.commit()?;
    words::believed(source, known, lowered as u64);
    Ok(Ok(()))
}

/// How many transactions wrote to the store.
///
/// # Errors
/// The file failed.
pub fn position(connection: &Connection) -> Result<u64, rusqlite::Error> {
    number(connection, "SELECT position FROM meta").map(i64::unsigned_abs)
}

/// The longest window of any namespace, in ms.
///
/// # Errors
/// The file failed.
pub fn longest_window_ms(connection: &Connection) -> Result<i64, rusqlite::Error> {
    number(connection, "SELECT coalesce(max(max_window_ms), 0) FROM namespaces")
}

fn number<T: FromSql>(connection: &Connection, sql: &str) -> Result<T, rusqlite::Error> {
    connection.query_row(sql, [], |row| row.get(0))
}

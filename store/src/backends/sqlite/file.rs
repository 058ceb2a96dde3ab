//! The file as a whole: opening, making, watching and copying it, and giving it another id.

use std::path::Path;

use leafid_core::{Code, StoreTime, Token};
use leafid_turn::sql::{SQLITE_APPLICATION, VERSION};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::backends::opening::{Found, NewStore};
use crate::backends::sqlite::driver::Driver;
use crate::problem::Problem;
use leafid_turn::sql::SQLITE;

pub mod backup;
pub(crate) mod open;
pub(crate) mod watch;

/// The file in the form of `--store`.
pub fn place(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Makes the tables, the store's id and the namespace `default`; false if another process was faster.
pub(crate) fn make(connection: &mut Connection, new: &NewStore) -> Result<bool, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != 0 {
        return Ok(false);
    }
    transaction.execute_batch(SQLITE.text("schema").sql)?;
    let made = "INSERT INTO meta (one, store, created_ms, floor_ms) VALUES (1, ?1, ?2, ?3)";
    transaction.execute(made, (new.id.bytes(), new.now.get(), new.floor.get()))?;
    Driver(&transaction).put(&[new.write()])?;
    transaction.pragma_update(None, "application_id", SQLITE_APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(true)
}

/// The store's id.
pub(crate) fn store(connection: &Connection, path: &Path) -> Result<Token, Problem> {
    let id = connection.query_row("SELECT store FROM meta", [], |row| row.get(0));
    id.map(Token::new).map_err(|error| {
        let detail = format!("`{}` has no id in its table `meta`: {error}", path.display());
        Problem::new(Code::SchemaMismatch, detail)
    })
}

/// Reads a summary of the tables.
pub(crate) fn found(connection: &Connection) -> Result<Found, rusqlite::Error> {
    let found = SQLITE.text("found").sql;
    let (tags, namespaces, longest_ms, granted) =
        connection.query_row(found, [], |row| row.try_into())?;
    let meta = "SELECT beat_ms, floor_ms FROM meta";
    let (beat, floor) = connection.query_row(meta, [], |row| row.try_into())?;
    let times = [granted, beat, floor].map(StoreTime::new);
    Ok(Found::of([tags, namespaces, longest_ms], times))
}

/// Lowers all later times to this one, and counts the times of grants among them. The ends of reserved
/// windows, which alone keep IDs unique, stay.
pub(crate) fn lower(connection: &mut Connection, now: StoreTime) -> Result<u64, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let lowered = "UPDATE workers SET granted_ms = ?1 WHERE granted_ms > ?1";
    let lowered = transaction.execute(lowered, [now.get()])?;
    transaction.execute("UPDATE meta SET beat_ms = ?1", [now.get()])?;
    transaction.commit()?;
    Ok(lowered as u64)
}

/// Gives the store another id, under an exclusive lock of the file.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it is in use, or those of [`Sqlite::open`](crate::backends::sqlite::Sqlite::open).
pub fn rename(path: &Path, id: Token) -> Result<(), Problem> {
    let connection = open::existing(path)?;
    set_id(&connection, id).map_err(|error| {
        let path = path.display();
        Problem::unavailable(match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => format!(
                "`{path}` is open in another program, which would go on as the store with the old id; \
                 stop every server that serves it, then: leafid repair --new-id --store sqlite:{path}"
            ),
            _ => format!("cannot change `{path}`: {error}"),
        })
    })
}

/// Writes the id. The lock is held from the first statement on, and without the log no other program can
/// continue.
fn set_id(connection: &Connection, id: Token) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    // The servers of the original never serve this one.
    connection.execute("DELETE FROM servers", [])?;
    connection.execute("UPDATE meta SET store = ?1", [id.bytes()])?;
    connection.execute_batch("COMMIT")
}

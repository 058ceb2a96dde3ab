//! Giving a store another id.

use std::path::Path;

use leafid_core::Token;
use rusqlite::{Connection, ErrorCode};

use super::open;
use crate::problem::Problem;

/// Gives the store another id, under an exclusive lock of the file.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it is in use; else as [`Sqlite::open`](crate::backends::sqlite::Sqlite::open).
pub fn rename(path: &Path, id: Token) -> Result<(), Problem> {
    let connection = open::existing(path)?;
    write(&connection, id).map_err(|error| {
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

/// The lock is kept from the first statement on, and without a log no other program can go on.
fn write(connection: &Connection, id: Token) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    connection.execute("UPDATE meta SET store = ?1", [id.bytes()])?;
    connection.execute_batch("COMMIT")
}

//! Raising the tables of a file that an older program made.

use std::path::Path;

use leafid_core::Token;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::open::{self, PATIENCE};
use super::version::{OLDEST, STEPS, VERSION, other_version};
use super::{create, places};
use crate::problem::Problem;

/// Raises the tables to this program's version; gives the version that they were of. Nobody else
/// has the file open meanwhile: a program of the old version would go on without what is new.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it is not there or is in use, `SCHEMA_MISMATCH` for a file that is no
/// store, or of a version that is not known, `STORE_REFUSED` as when it is opened.
pub fn migrate(path: &Path) -> Result<i64, Problem> {
    open::refuse_network(path)?;
    places::refuse_second(path)?;
    create::refuse_orphan(path)?;
    if let Some(absence) = create::absence(path) {
        return Err(create::not_there(path, absence));
    }
    let failed = |error: rusqlite::Error| failed(path, "migrate", &error);
    let before = version(&connect(path).map_err(failed)?, path)?;
    match before {
        VERSION => Ok(before),
        OLDEST..VERSION => raise(path).map_err(failed)?.map(|()| before),
        _ => Err(other_version(path, before)),
    }
}

/// Gives the store another id, under an exclusive lock of the file.
///
/// # Errors
/// As [`migrate`], and `SCHEMA_MISMATCH` for tables of another version.
pub fn rename(path: &Path, id: Token) -> Result<(), Problem> {
    // What it must be, and whether it is there.
    let found = version(&open::existing(path)?, path)?;
    if found != VERSION {
        return Err(other_version(path, found));
    }
    let renamed = alone(path).and_then(|connection| {
        connection.execute("UPDATE meta SET store = ?1", [id.bytes()])?;
        connection.execute_batch("COMMIT")
    });
    renamed.map_err(|error| failed(path, "repair --new-id", &error))
}

fn raise(path: &Path) -> Result<Result<(), Problem>, rusqlite::Error> {
    let connection = alone(path)?;
    let from = match version(&connection, path) {
        Ok(from) => from,
        Err(problem) => return Ok(Err(problem)),
    };
    // Another program may have raised it meanwhile.
    let done = usize::try_from(from - OLDEST).unwrap_or(0);
    for step in STEPS.iter().skip(done) {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("COMMIT").map(Ok)
}

fn failed(path: &Path, verb: &str, error: &rusqlite::Error) -> Problem {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => in_use(path, verb),
        _ => Problem::unavailable(format!("cannot change `{}`: {error}", path.display())),
    }
}

/// In a transaction. From the first look on the file is this connection's alone, and without a log in
/// which another could go on.
fn alone(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = connect(path)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    Ok(connection)
}

fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn version(connection: &Connection, path: &Path) -> Result<i64, Problem> {
    let found = open::recognise(connection, path)?;
    found.ok_or_else(|| create::not_there(path, create::Absence::NoTables))
}

fn in_use(path: &Path, verb: &str) -> Problem {
    let path = path.display();
    Problem::unavailable(format!(
        "`{path}` is open in another program, which would go on with the tables as they were; stop \
         every server that serves it, then: leafid {verb} --store sqlite:{path}"
    ))
}

//! Opens the file: checks what it is, and sets what makes a grant durable.

use std::path::Path;
use std::time::Duration;

use leafid_core::{Code, Token};
use leafid_state::places::{self, cannot_write};
use leafid_turn::sql::{SQLITE_APPLICATION, VERSION};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

use super as file;
use crate::backends::opening::{self, Found, Options};
use crate::clock::Clock;
use crate::problem::Problem;

/// The time-out for another process's transaction: less than the 3 s after which a holder gives up
/// an ask.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Opens the file, or makes it if the options allow, and gives the connection, ready for use, with the
/// store's id and contents.
pub fn open(
    path: &Path,
    clock: &dyn Clock,
    options: &Options,
) -> Result<(Connection, Token, Found), Problem> {
    let cannot = |error: rusqlite::Error| cannot_open(path, &error);
    let (mut connection, made) = connect(path, options.may_create())?;
    if made {
        options.refuse_other(&file::place(path), file::store(&connection, path)?)?;
    }
    settle(&connection).map_err(cannot)??;
    let created =
        !made && file::make(&mut connection, &options.new_store(clock.wall())?).map_err(cannot)?;
    let store = file::store(&connection, path)?;
    let mut found = Found { created, ..file::found(&connection).map_err(cannot)? };
    options.refuse_old(&file::place(path), store, &found, "file")?;
    let source = clock.wall();
    let strays = found.judge_clock("this machine's clock", source, options.believe_clock)?;
    if let Some(known) = strays {
        let lowered = file::lower(&mut connection, source).map_err(cannot)?;
        found.believe_clock(source, known, lowered);
    }
    Ok((connection, store, found))
}

/// Opens an existing store to read it, without changing its settings.
pub fn existing(path: &Path) -> Result<Connection, Problem> {
    connect(path, false).map(|(connection, _)| connection)
}

/// Opens the file and tells whether it is a store, which is certain without `may_create`.
fn connect(path: &Path, may_create: bool) -> Result<(Connection, bool), Problem> {
    let cannot = |error: rusqlite::Error| cannot_open(path, &error);
    let absence = places::check(path)?;
    if let Some(absence) = absence.filter(|_| !may_create) {
        return Err(opening::not_there(&file::place(path), absence));
    }
    // Without the flag for URIs: `file:…?mode=memory` is a path like any other.
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, absence.is_some());
    let connection = Connection::open_with_flags(path, flags).map_err(cannot)?;
    connection.busy_timeout(PATIENCE).map_err(cannot)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Makes query plans independent of bound values; every text names its index anyway. Without this SQLite
    // prepares a text with a bound `LIMIT` again each time: twice for each acquire.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(cannot)?;
    // SQLite silently opens a file without write permission.
    if connection.is_readonly(MAIN_DB).map_err(cannot)? {
        return Err(cannot_write(path));
    }
    let made = recognise(&connection, path)?;
    if !made && !may_create {
        return Err(opening::not_there(&file::place(path), "has no tables"));
    }
    Ok((connection, made))
}

fn cannot_open(path: &Path, error: &rusqlite::Error) -> Problem {
    // Only a missing permission: the limit of open files may be reached, too, and that passes.
    let opened = std::fs::OpenOptions::new().read(true).write(true).open(path);
    if opened.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied) {
        return cannot_write(path);
    }
    Problem::unavailable(format!("cannot open `{}`: {error}", path.display()))
}

/// Whether the file is a store of this version; `false` if it is empty. Writes nothing.
fn recognise(connection: &Connection, path: &Path) -> Result<bool, Problem> {
    let foreign = |why: String| {
        let detail = format!("`{}` is not a leafid store: {why}", path.display());
        Problem::new(Code::SchemaMismatch, detail)
    };
    let unread = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => foreign(error.to_string()),
        // SQLite makes files beside the store's, so the folder may be what cannot be written.
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => cannot_write(path),
        _ => Problem::unavailable(format!("cannot read `{}`: {error}", path.display())),
    };
    // One transaction, as another process may be making the tables.
    let moment = connection.unchecked_transaction().map_err(unread)?;
    let number = |pragma: &str| -> Result<i64, Problem> {
        connection.pragma_query_value(None, pragma, |row| row.get(0)).map_err(unread)
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(unread)?;
    moment.commit().map_err(unread)?;
    match (application, version, tables) {
        (SQLITE_APPLICATION, VERSION, _) => Ok(true),
        (SQLITE_APPLICATION, other, _) => {
            Err(opening::other_version(&file::place(path), "tables", other, VERSION))
        }
        (0, 0, 0) => Ok(false),
        _ => Err(foreign("another program made it".to_owned())),
    }
}

fn settle(connection: &Connection) -> Result<Result<(), Problem>, rusqlite::Error> {
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS an ordinary sync does not reach the disk.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
    if journal != "wal" || synchronous != 2 {
        return Ok(Err(Problem::new(
            Code::StoreRefused,
            format!(
                "the settings that make a grant durable do not work here: journal_mode is \
                 `{journal}` instead of `wal`, synchronous is {synchronous} instead of 2; move the \
                 store to a local disk"
            ),
        )));
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

    use super::*;
    use crate::clock::SystemClock;

    /// Another process makes the store between two of the reads.
    #[test]
    fn what_a_file_is_is_read_as_of_one_moment() {
        for between in ["user_version", "count"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.db");
            let mut connection = Connection::open(&path).unwrap();
            // A program that makes a store does this before it makes the tables.
            connection.pragma_update(None, "journal_mode", "WAL").unwrap();
            let (place, made) = (path.clone(), Arc::new(AtomicBool::new(false)));
            let makes = Arc::clone(&made);
            let hook = move |context: AuthContext<'_>| {
                let reads = match context.action {
                    AuthAction::Pragma { pragma_name, .. } => pragma_name,
                    AuthAction::Function { function_name } => function_name,
                    _ => "",
                };
                if reads == between && !makes.swap(true, Ordering::SeqCst) {
                    let options = Options { create: true, ..Options::default() };
                    assert!(open(&place, &SystemClock, &options).unwrap().2.created);
                }
                Authorization::Allow
            };
            connection.authorizer(Some(hook)).unwrap();
            assert_eq!(recognise(&connection, &path), Ok(false), "{between}");
            assert!(made.load(Ordering::SeqCst), "{between}");
            assert_eq!(recognise(&connection, &path), Ok(true), "the control");
        }
    }
}

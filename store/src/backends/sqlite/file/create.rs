//! Making a store: what has to be there or not, and what a new one begins with.

use std::path::{Path, PathBuf};

use leafid_core::registry::Namespace;
use leafid_core::{Code, Layout, Name};
use leafid_sql::{SQLITE_APPLICATION, VERSION};
use rusqlite::{Connection, TransactionBehavior};

use crate::backends::opening::{Options, floor_tick, words};
use crate::backends::sql::SQLITE;
use crate::backends::sqlite::driver::Driver;
use crate::backends::{NamespaceRow, Write};
use crate::clock::Clock;
use crate::problem::Problem;
use crate::random;

/// Why a path names no store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// There is no file.
    NoFile,
    /// The file has no content.
    Empty,
    /// The file is a database without tables.
    NoTables,
}

/// Whether a file is missing or empty, before SQLite makes or touches one.
pub fn absence(path: &Path) -> Option<Absence> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Absence::NoFile),
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Some(Absence::Empty),
        _ => None,
    }
}

/// Refuses a missing or empty file whose log is still there: it holds grants that were not folded
/// into the file, and SQLite would remove it.
///
/// # Errors
/// `STORE_REFUSED`.
pub fn refuse_orphan(path: &Path) -> Result<(), Problem> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    let has_log = std::fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0);
    if !has_log || absence(path).is_none() {
        return Ok(());
    }
    let (path, log) = (path.display(), log.display());
    let detail = format!(
        "`{path}` is gone, but its log `{log}` is there, and holds what was granted last; put \
         that very file back beside it; if it is lost, no copy or backup can take its place: move \
         `{log}` and `{path}-shm` away, those that are there, and make a new store: leafid init \
         --replaces-lost --store sqlite:{path}"
    );
    Err(Problem::new(Code::StoreRefused, detail))
}

/// A path that names no store, where none is to be made.
pub fn not_there(path: &Path, absence: Absence) -> Problem {
    let what = match absence {
        Absence::NoFile => "does not exist",
        Absence::Empty => "is an empty file",
        Absence::NoTables => "has no tables",
    };
    words::not_there(&place(path), what)
}

/// A folder where a file was meant.
pub fn folder(path: &Path) -> Problem {
    let place = place(path);
    let detail = format!("{place} is a folder; name a file in it: {place}/leafid.db");
    Problem::new(Code::StoreUnknown, detail)
}

/// A file as `--store` takes it.
pub fn place(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Makes the tables, the store's id and the namespace `default`; false if another process was
/// faster.
pub fn make(
    connection: &mut Connection,
    clock: &dyn Clock,
    options: &Options,
) -> Result<Result<bool, Problem>, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != 0 {
        return Ok(Ok(false));
    }
    let id = match options.id.map_or_else(random::bytes, |id| Ok(id.bytes())) {
        Ok(id) => id,
        Err(problem) => return Ok(Err(problem)),
    };
    transaction.execute_batch(SQLITE.schema)?;
    let now = clock.wall();
    let floor = options.floor(now);
    let made = "INSERT INTO meta (one, store, created_ms, floor_ms) VALUES (1, ?1, ?2, ?3)";
    transaction.execute(made, (&id, now.get(), floor.get()))?;
    if let (Ok(name), Ok(row)) =
        (Name::namespace("default"), Namespace::create(Layout::LEAF, None, None))
    {
        let namespace = Namespace { floor: floor_tick(&row.layout, floor), ..row };
        let row = NamespaceRow { namespace, used_until: namespace.workers.start };
        Driver(&transaction).put(&Write::Namespace {
            namespace: name,
            before: None,
            after: row,
        })?;
    }
    transaction.pragma_update(None, "application_id", SQLITE_APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(Ok(true))
}

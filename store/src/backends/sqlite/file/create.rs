//! Making a store: what has to be there or not, and what a new one begins with.

use std::path::{Path, PathBuf};

use leafid_core::Code;
use leafid_sql::{SQLITE_APPLICATION, VERSION};
use rusqlite::{Connection, TransactionBehavior};

use crate::backends::opening::NewStore;
use crate::backends::sql::SQLITE;
use crate::backends::sqlite::driver::Driver;
use crate::problem::Problem;

/// What a path is that names no file with content, before SQLite makes or touches one.
pub fn absence(path: &Path) -> Option<&'static str> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some("does not exist"),
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Some("is an empty file"),
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

/// A file as `--store` takes it.
pub fn place(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Makes the tables, the store's id and the namespace `default`; false if another process was
/// faster.
pub fn make(connection: &mut Connection, new: &NewStore) -> Result<bool, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != 0 {
        return Ok(false);
    }
    transaction.execute_batch(SQLITE.text("schema"))?;
    let made = "INSERT INTO meta (one, store, created_ms, floor_ms) VALUES (1, ?1, ?2, ?3)";
    transaction.execute(made, (new.id.bytes(), new.now.get(), new.floor.get()))?;
    Driver(&transaction).put(&new.write())?;
    transaction.pragma_update(None, "application_id", SQLITE_APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(true)
}

//! Opens stores by the name of their back end: a registry over what lies there.

pub mod database;

use std::path::Path;
use std::sync::Arc;

use crate::backends::opening::Options;
use crate::backends::sqlite::Sqlite;
use crate::clock::Clock;
use crate::problem::Problem;
use crate::registry::Registry;

/// Opens a store in a SQLite file, or makes it where the options say so.
///
/// # Errors
/// As [`Sqlite::open`].
pub fn open_sqlite(
    path: &Path,
    clock: Arc<dyn Clock>,
    options: Options,
) -> Result<Registry, Problem> {
    let file = Sqlite::open(path, Arc::clone(&clock), &options)?;
    Registry::over(file, clock, options.first_use)
}

/// Makes a store in a SQLite file where none is.
///
/// # Errors
/// As [`Sqlite::create`].
pub fn create_sqlite(
    path: &Path,
    clock: Arc<dyn Clock>,
    options: Options,
) -> Result<Registry, Problem> {
    let file = Sqlite::create(path, Arc::clone(&clock), &options)?;
    Registry::over(file, clock, options.first_use)
}

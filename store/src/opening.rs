//! Opens stores by the name of their back end: a registry over what lies there.

pub mod database;
#[cfg(feature = "engines")]
mod engines;
pub mod late;

use std::path::Path;
use std::sync::Arc;

use crate::backends::opening::Options;
use crate::backends::sqlite::{self, Sqlite};
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

/// Raises the tables of a store in a SQLite file to this program's version; gives the version that
/// they were of.
///
/// # Errors
/// As [`sqlite::migrate`].
pub fn migrate_sqlite(path: &Path) -> Result<i64, Problem> {
    sqlite::migrate(path)
}

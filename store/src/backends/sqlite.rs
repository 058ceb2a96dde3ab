//! The embedded back end: one SQLite file. Other processes may use it at the same time, so a turn is
//! one transaction that excludes them from its beginning. Waiting requests are committed together, because
//! a commit costs one sync of the disk for one row or fifty.

mod driver;
pub mod file;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{StoreTime, Token};
use rusqlite::Connection;

use super::clock::{Source, StoreClock};
use super::opening::{Found, Options};
use super::{
    Abilities, Answer, BackEnd, Facts, Group, Outcome, Read, Standing, Want, Watch, Write, Written,
};
use crate::clock::Clock;
use crate::problem::Problem;

use driver::Driver;
use file::open;
use file::watch::File;

/// How many requests' rows are read at once: few, as each takes time on this thread.
const AT_ONCE: usize = 32;

/// A store's file.
pub struct Sqlite {
    connection: Connection,
    store: Token,
    path: PathBuf,
    found: Found,
    file: Arc<File>,
    clock: StoreClock,
}

impl Sqlite {
    /// Opens the file, or makes it if the options allow.
    ///
    /// # Errors
    /// `STORE_REFUSED` for a file system, setting or clock that makes grants unsafe, or an existing store
    /// where a new one was wanted, `SCHEMA_MISMATCH` for a file that is no store or another version's,
    /// `STORE_CHANGED` for another store than expected, `STORE_UNAVAILABLE` if it does not exist or
    /// cannot be opened.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, options: &Options) -> Result<Sqlite, Problem> {
        let open::Opened { connection, store, found } = open::open(path, clock.as_ref(), options)?;
        let file = Arc::new(File::of(path)?);
        let mut clock = StoreClock::new("the wall clock", Source::Database, clock);
        clock.start(&found);
        // Absolute, as messages may be read in another working folder.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Sqlite { connection, store, path, found, file, clock })
    }

    /// Writes a group, up to the first row that has changed since it was read; whether none had.
    fn apply(&self, group: &Group) -> Result<bool, rusqlite::Error> {
        for write in group {
            if !Driver(&self.connection).put(write)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes all groups. A group that is written only in part rolls the transaction back, and the others are
    /// written again without it. Such races are rare, and a savepoint would copy every page each time.
    fn apply_all(&self, groups: &[Group]) -> Result<Vec<Outcome>, rusqlite::Error> {
        let mut outcomes = vec![Outcome::Done(Vec::new()); groups.len()];
        'again: loop {
            for (group, outcome) in groups.iter().zip(&mut outcomes) {
                let before = self.connection.total_changes();
                if *outcome == Outcome::Conflict || self.apply(group)? {
                    continue;
                }
                *outcome = Outcome::Conflict;
                if self.connection.total_changes() != before {
                    self.run("ROLLBACK")?;
                    self.run("BEGIN IMMEDIATE")?;
                    continue 'again;
                }
            }
            return Ok(outcomes);
        }
    }

    fn commit(&self, groups: &[Group], now: StoreTime) -> Result<Vec<Outcome>, rusqlite::Error> {
        let before = self.connection.total_changes();
        let outcomes = self.apply_all(groups)?;
        let beats = groups.iter().flatten().any(|write| matches!(write, Write::Beat(_)));
        if self.connection.total_changes() != before && !beats {
            Driver(&self.connection).put(&Write::Beat(now))?;
        }
        self.run("COMMIT")?;
        Ok(outcomes)
    }

    fn run(&self, sql: &str) -> Result<(), rusqlite::Error> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }

    fn abandon(&self) -> Result<(), rusqlite::Error> {
        if self.connection.is_autocommit() { Ok(()) } else { self.run("ROLLBACK") }
    }
}

impl BackEnd for Sqlite {
    fn facts(&self) -> Facts {
        Facts {
            store: self.store,
            place: format!("sqlite:{}", self.path.display()),
            found: self.found,
            clock: self.clock.clone(),
        }
    }

    fn watch(&self) -> Arc<dyn Watch> {
        Arc::clone(&self.file) as Arc<dyn Watch>
    }

    fn abilities(&self) -> Abilities {
        Abilities { at_once: AT_ONCE, notices: true, ..Abilities::default() }
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        let begun = self.abandon().and_then(|()| self.run("BEGIN IMMEDIATE"));
        begun.map_err(|error| broken(&error))
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Problem> {
        let driver = Driver(&self.connection);
        let answers = wants.iter().map(|want| driver.look(want)).collect::<Result<Vec<_>, _>>();
        let answers = answers.map_err(|error| broken(&error))?;
        Ok(Read { told: None, answers })
    }

    async fn standing(&mut self) -> Result<Standing, Problem> {
        let look = || {
            let Answer::Fenced(fenced) = Driver(&self.connection).look(&Want::Fenced)? else {
                return Ok(Standing::default());
            };
            // A copy has everything in the file, identifiers too, so only the position tells them apart.
            let database = String::new();
            Ok(Standing { fenced, database, position: file::position(&self.connection)? })
        };
        look().map_err(|error: rusqlite::Error| broken(&error))
    }

    async fn write(&mut self, groups: &[Group], now: StoreTime) -> Result<Written, Problem> {
        let committed = self.commit(groups, now);
        if committed.is_err() {
            // If this fails, too, the next turn tries again.
            let _ = self.abandon();
        }
        committed.map(|outcomes| Written { told: None, outcomes }).map_err(|error| broken(&error))
    }
}

fn broken(error: &rusqlite::Error) -> Problem {
    Problem::unavailable(format!("the store's file failed: {error}"))
}

#[cfg(test)]
mod tests;

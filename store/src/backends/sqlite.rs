//! The embedded back end: one SQLite file. Other processes may use it at the same time, so a turn is
//! one transaction that excludes them from its beginning. Waiting requests are committed together, because
//! a commit costs one sync of the disk for one row or fifty.

mod driver;
pub mod file;

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use super::clock::StoreClock;
use super::opening::Options;
use super::{Abilities, Answer, BackEnd, Facts, Group, Outcome, Want};
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
    facts: Facts,
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
        let (connection, store, found) = open::open(path, clock.as_ref(), options)?;
        let watch = Arc::new(File::of(path)?);
        let mut clock = StoreClock::new("the wall clock", true, clock);
        clock.start(&found);
        // Absolute, as messages may be read in another working folder.
        let place = file::place(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let abilities = Abilities { at_once: AT_ONCE, ..Abilities::LOCAL };
        let facts = Facts { store, place, found, clock, watch, abilities };
        Ok(Sqlite { connection, facts })
    }

    /// Writes all groups. A group that is written only in part rolls the transaction back, and the others are
    /// written again without it. Such races are rare, and a savepoint would copy every page each time.
    fn apply_all(&self, groups: &[Group]) -> Result<Vec<Outcome>, rusqlite::Error> {
        let mut outcomes = vec![Outcome::Done(Vec::new()); groups.len()];
        'again: loop {
            for (group, outcome) in groups.iter().zip(&mut outcomes) {
                let before = self.connection.total_changes();
                if *outcome == Outcome::Conflict || Driver(&self.connection).put(group)? {
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

    fn commit(&self, groups: &[Group]) -> Result<Vec<Outcome>, rusqlite::Error> {
        let outcomes = self.apply_all(groups)?;
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
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        let begun = self.abandon().and_then(|()| self.run("BEGIN IMMEDIATE"));
        begun.map_err(|error| broken(&error))
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Problem> {
        let driver = Driver(&self.connection);
        let answers: Result<_, _> = wants.iter().map(|want| driver.look(want)).collect();
        answers.map_err(|error| broken(&error))
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        let committed = self.commit(groups);
        if committed.is_err() {
            // If this fails, too, the next turn tries again.
            let _ = self.abandon();
        }
        committed.map_err(|error| broken(&error))
    }
}

fn broken(error: &rusqlite::Error) -> Problem {
    Problem::unavailable(format!("the store's file failed: {error}"))
}

#[cfg(test)]
mod tests;

//! The embedded back end: one SQLite file. Other processes may use it at the same time: a turn is
//! one transaction that excludes them from its beginning on, and what waits together is committed
//! together, because a commit costs a sync of the disk whether it carries one row or fifty.

pub mod backup;
mod create;
mod file;
mod meta;
mod migrate;
mod open;
mod places;
mod rows;
mod workers;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::registry::Worker;
use leafid_core::{StoreTime, Token};
use rusqlite::Connection;

use super::opening::{Found, Options};
use super::{
    Answer, BackEnd, Facts, Fault, Group, Outcome, Read, Seen, Want, Watch, Write, Written,
};
use crate::clock::{Clock, RegistryTime};
use crate::problem::Problem;

use file::File;
use rows::Rows;

pub use migrate::migrate;
pub use open::VERSION;

/// For so few requests rows are looked for at once: each takes its time here.
const AT_ONCE: usize = 32;
/// So often the store's time is written along with something else.
const BEAT_MS: i64 = 3_600_000;

/// A store's file.
pub struct Sqlite {
    connection: Connection,
    store: Token,
    path: PathBuf,
    found: Found,
    floor: StoreTime,
    opened: StoreTime,
    file: Arc<File>,
    clock: Arc<dyn Clock>,
    time: RegistryTime,
    /// When the store's time was written last.
    beaten: StoreTime,
}

impl Sqlite {
    /// Opens the file, or makes it where the options say so.
    ///
    /// # Errors
    /// `STORE_REFUSED` where the file's system or its settings cannot keep a promise,
    /// `SCHEMA_MISMATCH` for a file that is no store or another version's, `STORE_CHANGED` for
    /// another store than was expected, `STORE_UNAVAILABLE` when it is not there or cannot be
    /// opened.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, options: &Options) -> Result<Sqlite, Problem> {
        let open::Opened { connection, store, found } = open::open(path, clock.as_ref(), options)?;
        let file = Arc::new(File::of(path)?);
        let rows = Rows::new(&connection);
        let read = || Ok((rows.latest_grant()?, meta::beaten(&rows)?, meta::floor(&rows)?));
        let (latest, beaten, floor) = read().map_err(|error| Problem::from(&broken(&error)))?;
        let time = RegistryTime::start(latest, clock.as_ref());
        let opened = clock.wall().max(latest);
        let path = path.to_owned();
        Ok(Sqlite { connection, store, path, found, floor, opened, file, clock, time, beaten })
    }

    /// Makes a store where none is.
    ///
    /// # Errors
    /// `STORE_REFUSED` if one is there, with what is in it; else as [`Sqlite::open`].
    pub fn create(
        path: &Path,
        clock: Arc<dyn Clock>,
        options: &Options,
    ) -> Result<Sqlite, Problem> {
        let opened = Sqlite::open(path, clock, &Options { create: true, ..*options })?;
        match opened.found.created {
            true => Ok(opened),
            false => Err(create::exists(path, &meta::hex(opened.store), &opened.found)),
        }
    }

    /// The time now, which is read inside the transaction: no other process's grant lies between
    /// the time and the rows.
    fn now(&mut self) -> StoreTime {
        let rows = Rows::new(&self.connection);
        let longest = || rows.longest_window_ms().unwrap_or(0);
        let (now, leap) = self.time.read(self.clock.as_ref(), longest);
        if let Some(leap) = leap {
            tracing::warn!(
                by_ms = leap.by_ms,
                "the wall clock went forward at once; it is not believed for one max_window"
            );
        }
        now
    }

    fn look(&self, want: &Want) -> Result<Answer, rusqlite::Error> {
        let rows = Rows::new(&self.connection);
        Ok(match *want {
            Want::Tag(tag) => Answer::Tag(rows.tag(&tag)?.map(seen)),
            Want::Namespace(name) => Answer::Namespace(rows.namespace(&name)?.map(seen)),
            Want::Worker(name, worker) => workers(rows.worker(&name, worker)?),
            Want::Mine(name, request) => workers(rows.mine(&name, &request)?),
            Want::Own(name, owner) => workers(rows.own(&name, &owner)?),
            Want::Rested(name, count) => workers(rows.rested(&name, count)?),
            Want::Kept(name, count) => workers(rows.kept(&name, count)?),
            Want::Leaving { namespace, before, after } => {
                workers(rows.leaving(&namespace, before, after)?)
            }
            Want::Workers(name, page) => workers(rows.workers(&name, page)?),
            Want::Unused { namespace, from, end, count } => {
                Answer::Unused(rows.unused(&namespace, from, end, count)?)
            }
            Want::Tags(page) => Answer::Tags(rows.tags(page)?),
            Want::Namespaces(page) => Answer::Namespaces(rows.namespaces(page)?),
        })
    }

    /// Writes a group, until a row was not as it had been read.
    fn apply(&self, group: &Group) -> Result<Applied, rusqlite::Error> {
        let before = self.connection.total_changes();
        for write in group {
            if !self.put(write)? {
                let wrote = self.connection.total_changes() != before;
                return Ok(if wrote { Applied::Half } else { Applied::Not });
            }
        }
        Ok(Applied::Whole)
    }

    /// Writes all groups. A group that is not written whole ends the transaction, and a new one goes
    /// without it: this is cheaper than a savepoint, which keeps a copy of every page, for a race
    /// that is hardly ever lost.
    fn apply_all(&self, groups: &[Group]) -> Result<Vec<Outcome>, rusqlite::Error> {
        let mut outcomes = vec![Outcome::Done(Vec::new()); groups.len()];
        loop {
            let mut half = false;
            for (group, outcome) in groups.iter().zip(&mut outcomes) {
                if *outcome == Outcome::Conflict {
                    continue;
                }
                let applied = self.apply(group)?;
                if applied != Applied::Whole {
                    *outcome = Outcome::Conflict;
                }
                half = applied == Applied::Half;
                if half {
                    break;
                }
            }
            if !half {
                return Ok(outcomes);
            }
            self.run("ROLLBACK")?;
            self.run("BEGIN IMMEDIATE")?;
        }
    }

    /// Whether the row was as it was read.
    fn put(&self, write: &Write) -> Result<bool, rusqlite::Error> {
        let rows = Rows::new(&self.connection);
        match write {
            Write::Same(name, before) => {
                let found = rows.namespace(name)?;
                Ok(found.is_some_and(|found| found.namespace == before.row.namespace))
            }
            Write::Tag { tag, before, after } => {
                rows.put_tag(tag, before.as_ref().map(|seen| &seen.row), after)
            }
            Write::Namespace { namespace, before, after } => {
                rows.put_namespace(namespace, before.as_ref().map(|seen| &seen.row), after)
            }
            Write::Worker(write) => {
                let before = write.before.as_ref().map(|seen| &seen.row);
                rows.put_worker(&write.namespace, write.worker, before, &write.after)
            }
            Write::Beat(now) => meta::beat(&rows, *now).map(|()| true),
        }
    }

    /// Applies all groups and commits them together.
    fn commit(
        &mut self,
        groups: &[Group],
        now: StoreTime,
    ) -> Result<Vec<Outcome>, rusqlite::Error> {
        let outcomes = self.apply_all(groups)?;
        // Numbers of tags are leased without a time: the next start shall know one all the same.
        let wrote = outcomes.iter().any(|outcome| *outcome != Outcome::Conflict);
        let beats = wrote && now.since(self.beaten).saturating_abs() >= BEAT_MS;
        if beats {
            meta::beat(&Rows::new(&self.connection), now)?;
        }
        self.run("COMMIT")?;
        if beats {
            self.beaten = now;
        }
        Ok(outcomes)
    }

    fn run(&self, sql: &str) -> Result<(), rusqlite::Error> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }

    /// Ends a transaction that was not committed.
    fn abandon(&self) -> Result<(), rusqlite::Error> {
        if self.connection.is_autocommit() { Ok(()) } else { self.run("ROLLBACK") }
    }
}

impl BackEnd for Sqlite {
    fn facts(&self) -> Facts {
        Facts {
            store: self.store,
            place: format!("sqlite:{}", self.path.display()),
            floor: self.floor,
            now: self.opened,
            found: self.found,
        }
    }

    fn watch(&self) -> Arc<dyn Watch> {
        Arc::clone(&self.file) as Arc<dyn Watch>
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    async fn begin(&mut self) -> Result<Option<StoreTime>, Fault> {
        self.abandon()
            .and_then(|()| self.run("BEGIN IMMEDIATE"))
            .map_err(|error| broken(&error))?;
        Ok(Some(self.now()))
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Read, Fault> {
        let answers = wants.iter().map(|want| self.look(want)).collect::<Result<Vec<_>, _>>();
        let answers = answers.map_err(|error| broken(&error))?;
        Ok(Read { now: self.now(), answers })
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Written, Fault> {
        let now = self.now();
        let committed = self.commit(groups, now);
        if committed.is_err() {
            // Where even this fails, the next turn tries it again.
            let _ = self.abandon();
        }
        committed.map(|outcomes| Written { now, outcomes }).map_err(|error| broken(&error))
    }
}

/// How much of a group was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Applied {
    Whole,
    Half,
    Not,
}

fn seen<T>(row: T) -> Seen<T> {
    Seen { row, revision: 0 }
}

fn workers(found: impl IntoIterator<Item = Worker>) -> Answer {
    Answer::Workers(found.into_iter().map(|(worker, row)| (worker, seen(row))).collect())
}

fn broken(error: &rusqlite::Error) -> Fault {
    Fault { detail: format!("the store's file failed: {error}") }
}

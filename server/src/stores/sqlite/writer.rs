//! The one thread that touches the file. Requests that wait together are committed together, and
//! answered only after the commit.

use std::sync::Arc;
use std::thread::JoinHandle;

use leafid_core::{StoreTime, Token};
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::mpsc::error::TrySendError;

use super::Options;
use super::desk::{Desk, Stop};
use super::health::Health;
use super::job::{Job, Kind, Worth};
use super::meta;
use super::queue::{self, Queue, Road};
use super::rows::Rows;
use crate::clock::{Clock, RegistryTime};
use crate::problem::Problem;
use crate::store::Answer;

#[cfg(test)]
mod tests;

/// So many are committed together at most.
const TOGETHER: usize = 1_024;
/// After so many ms of work what is done is committed and answered, and the rest waits its turn.
const SLICE_MS: i64 = 20;
/// So often the store's time is written along with something else.
const BEAT_MS: i64 = 3_600_000;

/// The road to the thread. When it is dropped, changes that wait are still made.
pub struct Writer {
    road: Option<Road>,
    thread: Option<JoinHandle<()>>,
    clock: Arc<dyn Clock>,
}

impl Writer {
    /// Starts the thread over an open connection.
    pub fn start(
        connection: Connection,
        store: Token,
        clock: Arc<dyn Clock>,
        options: Options,
        health: Arc<Health>,
    ) -> Result<Writer, Problem> {
        let rows = Rows::new(&connection);
        let anchor = rows.latest_grant().map_err(|error| broken(&error))?;
        let beaten = meta::beaten(&rows).map_err(|error| broken(&error))?;
        let time = RegistryTime::start(anchor, clock.as_ref());
        let (road, queue) = Queue::new();
        let table =
            Table { connection, store, clock: Arc::clone(&clock), time, options, health, beaten };
        let thread = std::thread::Builder::new()
            .name("leafid-store".to_owned())
            .spawn(move || table.serve(queue))
            .map_err(|error| Problem::unavailable(format!("no thread for the store: {error}")))?;
        Ok(Writer { road: Some(road), thread: Some(thread), clock })
    }

    /// Has this done inside a transaction and answers when it is committed. Unless it is a
    /// [`Kind::Change`], it is not done when the answer was dropped before its turn came, nor when
    /// that took longer than callers wait (`OVERLOADED`).
    pub fn submit<F, T>(&self, kind: Kind, work: F) -> Answer<'_, T>
    where
        F: FnOnce(&Desk<'_>) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let (job, answer) = Job::new(kind, self.clock.boot(), work);
        let sent = match &self.road {
            Some(road) => road.try_send(job).map_err(|error| match error {
                TrySendError::Full(_) => queue::full(),
                TrySendError::Closed(_) => gone(),
            }),
            None => Err(gone()),
        };
        Box::pin(async move {
            sent?;
            answer.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("thread", &self.thread).finish_non_exhaustive()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.road = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so itself.
            let _ = thread.join();
        }
    }
}

struct Table {
    connection: Connection,
    store: Token,
    clock: Arc<dyn Clock>,
    time: RegistryTime,
    options: Options,
    health: Arc<Health>,
    /// When the store's time was written last.
    beaten: StoreTime,
}

impl Table {
    fn serve(mut self, mut queue: Queue) {
        let mut batch = Vec::new();
        while queue.wait() {
            let committed = self.turn(&mut queue, &mut batch);
            for job in batch.drain(..) {
                job.answer(committed.clone());
            }
        }
        // Leaves one file behind instead of three; a failure only leaves the others.
        let _ = self.connection.close();
    }

    /// Does what waits, unless the file is not the one that was opened.
    fn turn(&mut self, queue: &mut Queue, batch: &mut Vec<Job>) -> Result<(), Problem> {
        if let Some(problem) = self.health.gone() {
            queue.gather();
            batch.extend(std::iter::from_fn(|| queue.pop()));
            return Err(problem);
        }
        let before = self.connection.total_changes();
        let committed = self.commit(queue, batch).map_err(|error| broken(&error));
        let wrote = self.connection.total_changes() != before;
        self.health.ended(&committed, wrote, batch.len());
        committed
    }

    /// Does what waits, in one transaction; `batch` is who hears of its end.
    fn commit(&mut self, queue: &mut Queue, batch: &mut Vec<Job>) -> Result<(), rusqlite::Error> {
        // Dropped without a commit, it rolls back.
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        queue.gather();
        let transaction = match begun {
            Ok(transaction) => transaction,
            Err(error) => {
                // The next attempt would take as long to fail: all who wait hear of this one.
                batch.extend(std::iter::from_fn(|| queue.pop()));
                return Err(error);
            }
        };
        let before = transaction.total_changes();
        let rows = Rows::new(&transaction);
        // Read inside the transaction: no other process's grant lies between the time and the row.
        let longest = || rows.longest_window_ms().unwrap_or(0);
        let (now, leap) = self.time.read(self.clock.as_ref(), longest);
        if let Some(leap) = leap {
            tracing::warn!(
                by_ms = leap.by_ms,
                "the wall clock went forward at once; it is not believed for one max_window"
            );
        }
        let desk = Desk { rows, store: self.store, now, options: self.options };
        let began = self.clock.boot();
        while batch.len() < TOGETHER {
            let at = self.clock.boot();
            if at.since(began) >= SLICE_MS {
                break;
            }
            let Some(mut job) = queue.pop() else { break };
            match job.worth(at) {
                Worth::Nothing => {}
                Worth::TooLate(waited_ms) => job.refuse(waited_ms),
                Worth::Done => {
                    let worked = job.work(&desk);
                    batch.push(job);
                    worked?;
                }
            }
        }
        // Numbers of tags are leased without a time: the next start shall know one all the same.
        let wrote = transaction.total_changes() != before;
        let beats = wrote && now.since(self.beaten).saturating_abs() >= BEAT_MS;
        if beats {
            meta::beat(&desk.rows, now)?;
        }
        transaction.commit()?;
        if beats {
            self.beaten = now;
        }
        Ok(())
    }
}

fn gone() -> Problem {
    Problem::unavailable("the store is closed")
}

fn broken(error: &rusqlite::Error) -> Problem {
    Problem::unavailable(format!("the store's file failed: {error}"))
}

//! The one thread that touches the file. Requests that wait together are committed together, and
//! answered only after the commit.

use std::sync::Arc;
use std::thread::JoinHandle;

use leafid_core::{Code, Millis, Token};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::Options;
use super::rows::Rows;
use crate::clock::{Clock, RegistryTime};
use crate::problem::Problem;
use crate::store::Answer;

/// So many requests may wait; one more is `OVERLOADED`.
const WAITING: usize = 8_192;
/// So many are committed together at most.
const TOGETHER: usize = 1_024;

/// Why a request was not done.
#[derive(Debug)]
pub enum Stop {
    /// The decision was no. Nothing was written.
    Refused(Problem),
    /// The file failed: the whole transaction is rolled back.
    Broken(rusqlite::Error),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Refused(problem)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Stop {
        Stop::Broken(error)
    }
}

/// What a request works with: the rows inside the transaction, and the time in it.
#[derive(Debug)]
pub struct Desk<'c> {
    /// The tables.
    pub rows: Rows<'c>,
    /// The store's id.
    pub store: Token,
    /// The registry's time.
    pub now: Millis,
    /// How the file was opened.
    pub options: Options,
}

/// A request on its way through a transaction.
trait Job: Send {
    fn work(&mut self, desk: &Desk<'_>) -> Result<(), rusqlite::Error>;
    fn answer(self: Box<Self>, committed: Result<(), Problem>);
}

struct Request<F, T> {
    work: Option<F>,
    outcome: Option<Result<T, Problem>>,
    reply: oneshot::Sender<Result<T, Problem>>,
}

impl<F, T> Job for Request<F, T>
where
    F: FnOnce(&Desk<'_>) -> Result<T, Stop> + Send,
    T: Send,
{
    fn work(&mut self, desk: &Desk<'_>) -> Result<(), rusqlite::Error> {
        let Some(work) = self.work.take() else { return Ok(()) };
        self.outcome = Some(match work(desk) {
            Ok(value) => Ok(value),
            Err(Stop::Refused(problem)) => Err(problem),
            Err(Stop::Broken(error)) => return Err(error),
        });
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), Problem>) {
        let answer = match (committed, self.outcome) {
            (Err(problem), _) => Err(problem),
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(Problem::unavailable("the store did not get to the request")),
        };
        // Whoever asked may be gone: what was granted is a gap then.
        let _ = self.reply.send(answer);
    }
}

/// The road to the thread. When it is dropped, what waits is still done.
#[derive(Debug)]
pub struct Writer {
    jobs: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread over an open connection.
    pub fn start(
        connection: Connection,
        store: Token,
        clock: Arc<dyn Clock>,
        options: Options,
    ) -> Result<Writer, Problem> {
        let anchor = Rows::new(&connection).latest_grant().map_err(|error| broken(&error))?;
        let time = RegistryTime::start(anchor, clock.as_ref());
        let (jobs, waiting) = mpsc::channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("leafid-store".to_owned())
            .spawn(move || {
                Table { connection, store, clock, time, options }.serve(waiting);
            })
            .map_err(|error| Problem::unavailable(format!("no thread for the store: {error}")))?;
        Ok(Writer { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Has this done inside a transaction and answers when it is committed.
    pub fn submit<F, T>(&self, work: F) -> Answer<'_, T>
    where
        F: FnOnce(&Desk<'_>) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Request { work: Some(work), outcome: None, reply });
        let sent = match &self.jobs {
            Some(jobs) => jobs.try_send(job).map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => Problem::new(
                    Code::Overloaded,
                    format!("{WAITING} requests wait for the store already; ask again later"),
                ),
                mpsc::error::TrySendError::Closed(_) => gone(),
            }),
            None => Err(gone()),
        };
        Box::pin(async move {
            sent?;
            answer.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
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
}

impl Table {
    fn serve(mut self, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
        let mut batch = Vec::new();
        while waiting.blocking_recv_many(&mut batch, TOGETHER) > 0 {
            let committed = self.commit(&mut batch).map_err(|error| broken(&error));
            for job in batch.drain(..) {
                job.answer(committed.clone());
            }
        }
        // Leaves one file behind instead of three; a failure only leaves the others.
        let _ = self.connection.close();
    }

    fn commit(&mut self, batch: &mut [Box<dyn Job>]) -> Result<(), rusqlite::Error> {
        let immediate = rusqlite::TransactionBehavior::Immediate;
        // Dropped without a commit, it rolls back.
        let transaction = self.connection.transaction_with_behavior(immediate)?;
        let rows = Rows::new(&transaction);
        // Read inside the transaction: no other process's grant lies between the time and the row.
        let longest = || rows.longest_window_ms().unwrap_or(0);
        let (now, leap) = self.time.read(self.clock.as_ref(), longest);
        if let Some(leap) = leap {
            eprintln!(
                "leafid: the wall clock went forward by {} ms at once; it is not believed for one \
                 max_window",
                leap.by_ms
            );
        }
        let desk = Desk { rows, store: self.store, now, options: self.options };
        for job in batch {
            job.work(&desk)?;
        }
        transaction.commit()
    }
}

fn gone() -> Problem {
    Problem::unavailable("the store is closed")
}

fn broken(error: &rusqlite::Error) -> Problem {
    Problem::unavailable(format!("the store's file failed: {error}"))
}

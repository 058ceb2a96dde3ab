//! A request on its way through a transaction, and whether it is still worth doing.

use leafid_core::{Code, HostTime};
use tokio::sync::oneshot;

use super::desk::{Desk, Stop};
use crate::problem::Problem;

/// A caller counts its ask as lost after so long, and sends it again: what has waited longer is
/// done for nobody.
const PATIENCE_MS: i64 = 3_000;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A worker number: the dearest there is, and what hundreds of processes ask for at once.
    Acquire,
    /// An answer, or a range that only its caller can use.
    Take,
    /// A change that holds whether its caller hears of it or not.
    Change,
}

/// A request that waits for its turn.
pub struct Job {
    kind: Kind,
    /// When it came, by the clock that only ticks.
    asked: HostTime,
    errand: Box<dyn Errand>,
}

/// Whether a request is still worth doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Its caller waits, or it holds without one.
    Done,
    /// Its caller is gone.
    Nothing,
    /// Its caller has waited so many ms, and gives it up for lost.
    TooLate(i64),
}

impl Job {
    /// Work for a transaction, and the road of its answer.
    pub fn new<F, T>(
        kind: Kind,
        asked: HostTime,
        work: F,
    ) -> (Job, oneshot::Receiver<Result<T, Problem>>)
    where
        F: FnOnce(&Desk<'_>) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let errand = Box::new(Request { work: Some(work), outcome: None, reply });
        (Job { kind, asked, errand }, answer)
    }

    /// What it is for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it is still worth doing at `now`, by the clock that only ticks.
    pub fn worth(&self, now: HostTime) -> Worth {
        let waited = now.since(self.asked);
        match self.kind {
            Kind::Change => Worth::Done,
            Kind::Acquire | Kind::Take if self.errand.is_alone() => Worth::Nothing,
            Kind::Acquire | Kind::Take if waited > PATIENCE_MS => Worth::TooLate(waited),
            Kind::Acquire | Kind::Take => Worth::Done,
        }
    }

    /// Does it. An error is the file's, and ends the transaction.
    pub fn work(&mut self, desk: &Desk<'_>) -> Result<(), rusqlite::Error> {
        self.errand.work(desk)
    }

    /// Answers what was done, if it was committed.
    pub fn answer(self, committed: Result<(), Problem>) {
        self.errand.answer(committed);
    }

    /// Answers that it came too late.
    pub fn refuse(self, waited_ms: i64) {
        let detail = format!(
            "the store has more to do than it can: the request waited {waited_ms} ms for its turn, \
             longer than the {PATIENCE_MS} ms for which callers wait, and was not done; ask again"
        );
        self.answer(Err(Problem::new(Code::Overloaded, detail)));
    }
}

trait Errand: Send {
    fn is_alone(&self) -> bool;
    fn work(&mut self, desk: &Desk<'_>) -> Result<(), rusqlite::Error>;
    fn answer(self: Box<Self>, committed: Result<(), Problem>);
}

struct Request<F, T> {
    work: Option<F>,
    outcome: Option<Result<T, Problem>>,
    reply: oneshot::Sender<Result<T, Problem>>,
}

impl<F, T> Errand for Request<F, T>
where
    F: FnOnce(&Desk<'_>) -> Result<T, Stop> + Send,
    T: Send,
{
    fn is_alone(&self) -> bool {
        self.reply.is_closed()
    }

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
        // Whoever asked may be gone since: what was granted is a gap then.
        let _ = self.reply.send(answer);
    }
}

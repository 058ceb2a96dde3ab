//! A request on its way through a turn, and whether it is still worth doing.

use std::time::Duration;

use leafid_core::{Code, HostTime};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::groups::Scope;
use super::rows::TurnRows;
use super::stop::Stop;
use crate::problem::Problem;

/// A caller counts its ask as lost after this time, and sends it again: what has waited longer is
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
    /// What it reads and changes.
    pub scope: Scope,
    /// How often others wrote first what it was to write.
    pub lost: u32,
    /// Not before then it is tried again.
    pub due: Instant,
    /// When it came, by the clock that only ticks.
    asked: HostTime,
    /// The same, exactly, until it is decided for the first time.
    came: Option<Instant>,
    errand: Box<dyn Errand>,
}

/// Whether a request is still worth doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Its caller waits, or it holds without one.
    Done,
    /// Its caller is gone.
    Nothing,
    /// Its caller has waited this many ms, and gives it up for lost.
    TooLate(i64),
}

impl Job {
    /// A decision, and the way of its answer. It is made again when a row that it wants was read,
    /// and when somebody else wrote first.
    pub fn new<F, T>(
        kind: Kind,
        scope: Scope,
        asked: HostTime,
        decide: F,
    ) -> (Job, oneshot::Receiver<Result<T, Problem>>)
    where
        F: Fn(&mut TurnRows) -> Result<T, Stop> + Send + 'static,
        T: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let errand = Box::new(Request { decide, outcome: None, reply });
        let now = Instant::now();
        (Job { kind, scope, lost: 0, due: now, asked, came: Some(now), errand }, answer)
    }

    /// What it is for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How long it waited, when it is about to be decided for the first time.
    pub fn waited(&mut self, now: Instant) -> Option<Duration> {
        self.came.take().map(|came| now.saturating_duration_since(came))
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

    /// Decides it, if the rows for that are at hand.
    pub fn decide(&mut self, turn: &mut TurnRows) -> Decided {
        self.errand.decide(turn)
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

/// How far a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// It has an answer, which counts when what it changes is written.
    Done,
    /// Rows are wanted.
    Wanting,
    /// Its turn is the next.
    Later,
}

trait Errand: Send {
    fn is_alone(&self) -> bool;
    fn decide(&mut self, turn: &mut TurnRows) -> Decided;
    fn answer(self: Box<Self>, committed: Result<(), Problem>);
}

struct Request<F, T> {
    decide: F,
    outcome: Option<Result<T, Problem>>,
    reply: oneshot::Sender<Result<T, Problem>>,
}

impl<F, T> Errand for Request<F, T>
where
    F: Fn(&mut TurnRows) -> Result<T, Stop> + Send,
    T: Send,
{
    fn is_alone(&self) -> bool {
        self.reply.is_closed()
    }

    fn decide(&mut self, turn: &mut TurnRows) -> Decided {
        self.outcome = match (self.decide)(turn) {
            Ok(value) => Some(Ok(value)),
            Err(Stop::Refused(problem)) => Some(Err(problem)),
            Err(Stop::Wanting) => return Decided::Wanting,
            Err(Stop::Later) => return Decided::Later,
        };
        Decided::Done
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

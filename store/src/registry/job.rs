//! A request on its way through a turn, and whether it is still worth carrying out.

use std::time::Duration;

use leafid_core::{Code, HostTime};
use tokio::sync::oneshot;
use tokio::time::Instant;

use leafid_turn::groups::Scope;
use leafid_turn::rows::TurnRows;
use leafid_turn::stop::Stop;

use crate::problem::Problem;

/// How long a caller waits before it asks again, in ms: an older request has no caller any more.
const PATIENCE_MS: i64 = 3_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An acquire: the most expensive request, which hundreds of processes may send at once.
    Acquire,
    /// A read, or a grant that only its caller can use.
    Take,
    /// A change that counts even if its caller is gone.
    Change,
}

pub struct Job {
    pub kind: Kind,
    pub scope: Scope,
    pub lost: u32,
    pub due: Instant,
    /// When the request came, by the monotonic clock of the store.
    asked: HostTime,
    /// The same for the metrics, until it is first decided.
    came: Option<Instant>,
    errand: Box<dyn Errand>,
}

impl Job {
    /// Makes a request from its decision, which is repeated after its rows were read, and after a lost
    /// race.
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

    pub fn waited(&mut self, now: Instant) -> Option<Duration> {
        self.came.take().map(|came| now.saturating_duration_since(came))
    }

    pub fn is_abandoned(&self) -> bool {
        self.kind != Kind::Change && self.errand.is_alone()
    }

    /// The refusal, if the request has waited longer than its caller does.
    pub fn is_late(&self, now: HostTime) -> Option<Problem> {
        let waited_ms = now.since(self.asked);
        if self.kind == Kind::Change || waited_ms <= PATIENCE_MS {
            return None;
        }
        let detail = format!(
            "the store has more to do than it can: the request waited {waited_ms} ms for its turn, \
             longer than the {PATIENCE_MS} ms for which callers wait, and was not done; ask again"
        );
        Some(Problem::new(Code::Overloaded, detail))
    }

    /// Decides the request; its answer counts when its changes are written.
    pub fn decide(&mut self, turn: &mut TurnRows) -> Result<(), Stop> {
        self.errand.decide(turn)?;
        turn.verify(self.scope)
    }

    pub fn answer(self, committed: Result<(), Problem>) {
        self.errand.answer(committed);
    }
}

trait Errand: Send {
    fn is_alone(&self) -> bool;
    fn decide(&mut self, turn: &mut TurnRows) -> Result<(), Stop>;
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

    fn decide(&mut self, turn: &mut TurnRows) -> Result<(), Stop> {
        self.outcome = match (self.decide)(turn) {
            Err(Stop::Refused(problem)) => Some(Err(problem)),
            decided => Some(Ok(decided?)),
        };
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), Problem>) {
        let Request { outcome, reply, .. } = *self;
        let none = || Err(Problem::unavailable("the store did not get to the request"));
        let answer = committed.and_then(|()| outcome.unwrap_or_else(none));
        // The caller may be gone, which makes a grant a gap.
        let _ = reply.send(answer);
    }
}

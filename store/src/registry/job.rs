//! A request on its way through a turn, and whether it is still worth doing.

use std::time::Duration;

use leafid_core::{Code, HostTime};
use tokio::sync::oneshot;
use tokio::time::Instant;

use leafid_turn::groups::Scope;
use leafid_turn::rows::TurnRows;
use leafid_turn::stop::Stop;

use crate::problem::Problem;

/// A caller counts its ask as lost after this time, and sends it again: what has waited longer is
/// done for nobody.
const PATIENCE_MS: i64 = 3_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A worker number: the dearest there is, and what hundreds of processes ask for at once.
    Acquire,
    /// An answer, or a range that only its caller can use.
    Take,
    /// A change that holds whether its caller hears of it or not.
    Change,
}

pub struct Job {
    pub kind: Kind,
    pub scope: Scope,
    pub lost: u32,
    pub due: Instant,
    /// When it came, by the clock that only ticks.
    asked: HostTime,
    /// The same, exactly, until it is decided for the first time.
    came: Option<Instant>,
    errand: Box<dyn Errand>,
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

    pub fn waited(&mut self, now: Instant) -> Option<Duration> {
        self.came.take().map(|came| now.saturating_duration_since(came))
    }

    pub fn is_abandoned(&self) -> bool {
        self.kind != Kind::Change && self.errand.is_alone()
    }

    /// Why it is not done at `now`, by the clock that only ticks, if its caller has given it up for
    /// lost.
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

    /// Decides it: then it has an answer, which counts when what it changes is written.
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
        // Whoever asked may be gone since: what was granted is a gap then.
        let _ = reply.send(answer);
    }
}

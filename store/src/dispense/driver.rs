//! Drives one of the server's own generators: an ordinary holder, shared by many requests. A request that
//! finds it empty waits for the grant, for a few seconds at most.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use leafid_core::{
    Action, Ask, Code, Event, Failure, Generator, Grant, HostTime, Kind, Outcome, Range, Refusal,
    Release, Stance,
};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::meter::leases::OfSingle;
use crate::problem::Problem;
use crate::random;
use crate::registry::Registry;

const CLOSING: Duration = Duration::from_secs(3);

/// The dependencies that all drivers share.
#[derive(Clone)]
pub struct Deps {
    /// The store that leases the ranges.
    pub store: Arc<Registry>,
    /// The monotonic clock of the generators.
    pub clock: Arc<dyn Clock>,
    /// How long a request waits when the generator is empty.
    pub patience: Duration,
}

/// A generator, and the requests that wait for it.
pub struct Driver<S: Kind> {
    state: Mutex<State<S>>,
    changed: Notify,
    counts: Arc<OfSingle>,
}

struct State<S: Kind> {
    generator: Generator<S>,
    problem: Option<Problem>,
    carrying: u32,
    at_hand: AtHand,
}

/// The leased numbers of a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtHand {
    /// The next number.
    pub next: u64,
    /// The current range and the next range.
    pub ranges: Vec<Range>,
}

impl AtHand {
    fn granted(&mut self, range: Range) {
        self.ranges.retain(|range| range.end > self.next);
        self.ranges.push(range);
        self.next = self.next.max(self.ranges.first().map_or(0, |range| range.start));
    }

    fn used(&mut self, last: u64) {
        self.next = last.saturating_add(1);
        while self.ranges.first().is_some_and(|range| range.end < self.next) {
            self.ranges.remove(0);
        }
    }
}

enum Look {
    Done,
    Again,
    Wait { refusal: Refusal, pause: Duration },
}

impl<S: Kind + Send + 'static> Driver<S> {
    /// Makes a driver of this generator, with counts of what it hands out.
    pub fn new(generator: Generator<S>, counts: Arc<OfSingle>) -> Arc<Driver<S>> {
        let state =
            Mutex::new(State { generator, problem: None, carrying: 0, at_hand: AtHand::default() });
        Arc::new(Driver { state, changed: Notify::new(), counts })
    }

    /// Hands out `n` IDs, ascending.
    ///
    /// # Errors
    /// Why they did not come in time: the store's refusal, or the generator's. IDs that were drawn by
    /// then become a gap.
    pub async fn take(self: &Arc<Self>, deps: &Deps, n: usize) -> Result<Vec<u64>, Problem> {
        let mut ids = vec![0; n];
        let mut filled = 0;
        let mut deadline = None;
        while let Some(rest) = ids.get_mut(filled..) {
            // Registers before it looks, so that no change is missed.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            match self.look(deps, rest, &mut filled)? {
                Look::Done => break,
                Look::Again => {}
                Look::Wait { refusal, pause } => {
                    let deadline = *deadline.get_or_insert_with(|| {
                        self.counts.waits.one();
                        Instant::now() + deps.patience
                    });
                    if Instant::now() >= deadline {
                        return Err(self.in_vain(refusal, deps.patience));
                    }
                    let until = deadline.min(Instant::now() + pause);
                    tokio::select! {
                        () = changed => {}
                        () = tokio::time::sleep_until(until) => {}
                    }
                }
            }
        }
        self.counts.ids.more(n as u64);
        Ok(ids)
    }

    /// Hands out an ID, if that needs no wait.
    pub fn at_once(self: &Arc<Self>, deps: &Deps) -> Option<u64> {
        let (mut id, mut filled) = ([0], 0);
        match self.look(deps, &mut id, &mut filled) {
            Ok(Look::Done) => {
                self.counts.ids.one();
                id.first().copied()
            }
            // A request that waits gets the reason itself.
            Ok(_) | Err(_) => None,
        }
    }

    /// The leased numbers of a tag.
    pub fn at_hand(&self) -> AtHand {
        self.lock().at_hand.clone()
    }

    fn look(
        self: &Arc<Self>,
        deps: &Deps,
        rest: &mut [u64],
        filled: &mut usize,
    ) -> Result<Look, Problem> {
        let now = deps.clock.boot();
        let mut state = self.lock();
        let n = rest.len() as u64;
        // IDs that were drawn are lost if the rest never comes: near the end of a tag it is all or
        // nothing, if the generator can hold that many at once.
        let near_end = state.generator.may_end_before(n);
        let drawn = match near_end.then(|| state.generator.ready(now, n)) {
            Some(Err(refusal)) if refusal.code != Code::CountInvalid => Err(refusal),
            _ => state.generator.fill_available(now, rest),
        };
        let taken = drawn.unwrap_or(0);
        *filled += taken;
        if let Some(last) = taken.checked_sub(1).and_then(|at| rest.get(at)) {
            state.at_hand.used(*last);
        }
        let missing = rest.len() - taken;
        if missing > 0 {
            // Tells the generator how many its next ask should be for.
            let _ = state.generator.ready(now, missing as u64);
        }
        if state.generator.wants(now)
            && let Some(ask) = state.generator.poll(now, random::bytes()?).and_then(Action::ask)
        {
            state.carrying += 1;
            tokio::spawn(Arc::clone(self).carry(deps.clone(), ask.into()));
        }
        let Err(refusal) = drawn else {
            return Ok(if missing == 0 { Look::Done } else { Look::Again });
        };
        let until = match state.generator.stance(refusal, now) {
            // The store's own words tell why it refuses.
            Stance::Raise(code) if state.generator.failure() == Some(code) => {
                return Err(state.said(code.into()));
            }
            Stance::Raise(_) => return Err(refusal.into()),
            Stance::Wait(until) => until,
        };
        let pause = until.map_or(i64::MAX, |until| until.since(now));
        let pause = Duration::from_millis(u64::try_from(pause).unwrap_or(0).clamp(1, 1_000));
        Ok(Look::Wait { refusal, pause })
    }

    /// How many IDs can be handed out without the store.
    pub fn in_hand(&self) -> u64 {
        self.lock().generator.stats().in_hand
    }

    async fn carry(self: Arc<Self>, deps: Deps, ask: Ask) {
        let sent = deps.clock.boot();
        let answer = match ask {
            Ask::Segment(ask) => deps.store.lease_segment(ask).await.map(Grant::Segment),
            Ask::Acquire(ask) => deps.store.acquire(ask).await.map(Grant::Window),
            Ask::Renew(ask) => deps.store.renew(ask).await.map(Grant::Window),
        };
        let release = self.lock().handle(&ask, answer, sent, deps.clock.boot());
        self.changed.notify_waiters();
        if let Some(release) = release {
            give_back(&deps, release).await;
        }
        self.lock().carrying -= 1;
        self.changed.notify_waiters();
    }

    /// Closes the generator, and gives the release of its window, if it had one.
    pub fn retire(&self) -> Option<Release> {
        let release = self.lock().generator.retire();
        self.changed.notify_waiters();
        release
    }

    /// Closes the generator, releases its window, and waits for the asks under way.
    pub async fn close(&self, deps: &Deps) {
        if let Some(release) = self.retire() {
            give_back(deps, release).await;
        }
        let quiet = async {
            loop {
                let mut changed = pin!(self.changed.notified());
                changed.as_mut().enable();
                if self.lock().carrying == 0 {
                    return;
                }
                changed.await;
            }
        };
        if tokio::time::timeout(CLOSING, quiet).await.is_err() {
            tracing::warn!("an ask of the server's own was not answered before it closed");
        }
    }

    fn in_vain(&self, refusal: Refusal, patience: Duration) -> Problem {
        let state = self.lock();
        if state.problem.is_some() {
            return state.said(refusal);
        }
        let problem = Problem::from(refusal);
        let waited = format!("no ID within {} ms: {}", patience.as_millis(), problem.detail);
        Problem { detail: waited, ..problem }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        // The generator never panics, so the state under a poisoned lock is consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Kind> State<S> {
    fn handle(
        &mut self,
        ask: &Ask,
        answer: Result<Grant, Problem>,
        sent: HostTime,
        now: HostTime,
    ) -> Option<Release> {
        let failure = |problem: &Problem| Failure {
            code: problem.code,
            retry_after_ms: problem.retry_after_ms,
        };
        let heard = answer.as_ref().copied().map_err(failure);
        let event = Event::Answer { request: ask.request(), sent, answer: heard };
        let outcome = self.generator.handle(event.of(), now);
        if let (Ok(Grant::Segment(grant)), Ok(_)) = (heard, outcome) {
            self.at_hand.granted(grant.range);
        }
        self.problem = answer.err().or(outcome.err().map(Problem::from));
        match outcome {
            Ok(Outcome::Release(release)) => Some(release),
            _ => None,
        }
    }

    fn said(&self, refusal: Refusal) -> Problem {
        self.problem.clone().unwrap_or_else(|| refusal.into())
    }
}

async fn give_back(deps: &Deps, release: Release) {
    match deps.store.release(release).await {
        Err(problem) if problem.code != Code::LeaseLost => {
            tracing::warn!(
                "worker {} of namespace `{}` was not given back: {problem}",
                release.worker,
                release.namespace
            );
        }
        _ => {}
    }
}

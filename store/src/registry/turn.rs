//! Runs the turns of the registry: requests that wait together are decided and written together, and
//! answered when that is durable (PROTOCOL R1).

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use leafid_core::{HostTime, Name, StoreTime};
use tokio::time::{Instant, sleep};

use leafid_turn::cache::Cache;
use leafid_turn::groups::Scope;
use leafid_turn::stop::Stop;

use super::job::Job;
use super::opened::Shared;
use super::queue::Queue;
use crate::backends::clock::StoreClock;
use crate::backends::{BackEnd, Outcome, Write};
use crate::clock::Clock as _;
use crate::fence::bounds::longest_ms;
use crate::fence::guard::{Announced, Guard};
use crate::problem::Problem;
use crate::random;
use leafid_turn::register::Beat;
use leafid_turn::rows::{InHand, TurnRows};

const TOGETHER: usize = 1_024;
/// How long a turn decides, in ms, before it writes and answers; the rest waits for the next turn.
const SLICE_MS: i64 = 20;
/// The most rounds of reads in a turn: a request needs its namespace, its own rows, then free numbers.
const READINGS: usize = 32;
/// The number of lost races after which a request is refused.
const TRIES: u32 = 12;
/// How long after the last note of the time the next write notes it again, in ms: the next start judges the
/// clock by it, and leases of segments write no time.
const BEAT_MS: i64 = 60_000;
/// How long a server that stops waits between two looks at the others.
const WAITING: Duration = Duration::from_millis(20);
/// How long a request waits for the other servers.
const ACKED: Duration = Duration::from_millis(2_800);
/// The longest pause after a lost race, in ms; the first retry is immediate.
const LONGEST_PAUSE_MS: u64 = 64;

pub struct Turns<B: BackEnd> {
    back_end: B,
    shared: Arc<Shared>,
    first_use: bool,
    clock: StoreClock,
    beaten: Option<HostTime>,
    cache: Cache,
    answers: Answers,
    guard: Guard,
    /// Requests that are written, and that the other servers have not acked.
    held: VecDeque<Held>,
}

/// Requests of one turn that wait for the other servers.
struct Held {
    beat: Beat,
    epoch: (u64, Beat),
    since: Instant,
    jobs: Vec<Job>,
    in_hand: Vec<InHand>,
    /// The tags that operators changed: what was in hand of them counts no more.
    changed: Vec<Name>,
    is_written: bool,
}

impl<B: BackEnd> Turns<B> {
    pub fn new(back_end: B, shared: Arc<Shared>, first_use: bool) -> Turns<B> {
        let clock = shared.facts.clock.clone();
        let guard = Guard::new(Arc::clone(&shared.desk), Arc::clone(&shared.hands));
        let (beaten, cache, answers, held) = Default::default();
        Turns { back_end, shared, first_use, clock, beaten, cache, answers, guard, held }
    }

    pub async fn run(mut self, mut queue: Queue) {
        loop {
            // Answers wait for the next write only if that is remote and begins now.
            if !self.shared.facts.abilities.is_remote || !queue.is_waiting() {
                self.answers.send();
            }
            let due_ms = self.guard.due_in(self.boot(), !self.held.is_empty());
            let due = due_ms.map(|ms| Instant::now() + Duration::from_millis(ms.unsigned_abs()));
            if !queue.wait(due).await {
                break;
            }
            self.take_turn(&mut queue).await;
            queue.tell(&self.shared.meter);
        }
        while !self.held.is_empty() || queue.len() > 0 {
            self.take_turn(&mut queue).await;
            self.answers.send();
            sleep(WAITING).await;
        }
        self.guard.leave(&mut self.back_end).await;
    }

    async fn take_turn(&mut self, queue: &mut Queue) {
        if let Err(problem) = self.turn(queue).await {
            let held = self.held.drain(..).flat_map(|held| held.jobs);
            held.chain(queue.drain()).for_each(|job| job.answer(Err(problem.clone())));
        }
    }

    /// Takes one turn. An error is for all waiting requests: the next attempt would take as long to fail.
    async fn turn(&mut self, queue: &mut Queue) -> Result<(), Problem> {
        if let Some(problem) = self.shared.facts.watch.gone() {
            self.shared.hands.clear();
            return Err(problem);
        }
        self.shared.health.wait(self.boot());
        let began = Instant::now();
        let begun = self.answers.during(self.back_end.begin()).await;
        self.shared.meter.begin.took(began.elapsed());
        queue.gather();
        begun.map_err(|problem| self.failed(problem, queue.len()))?;
        queue.tell(&self.shared.meter);
        let now = self.clock.now(None);
        let (boot, waits) = (self.boot(), !self.held.is_empty());
        let looked = self.guard.begin(&mut self.back_end, now, boot, waits);
        match self.answers.during(looked).await {
            Ok(is_fenced) => {
                if is_fenced {
                    self.cache = Cache::default();
                }
                self.let_go(queue);
            }
            Err(problem) => {
                // If this fails, too, the next turn notices.
                let _ = self.back_end.write(&[]).await;
                return Err(self.failed(problem, queue.len()));
            }
        }
        let now = self.clock.now(None);
        self.shared.health.tell(now, self.boot());
        self.shared.hands.tell(now, self.boot());
        let (facts, cache) = (&self.shared.facts, std::mem::take(&mut self.cache));
        let floor = facts.found.floor.unwrap_or(StoreTime::new(0));
        let mut turn = TurnRows::new(facts.store, floor, self.first_use, now, cache);
        let (mut decided, mut later) = (Vec::new(), Vec::new());
        match self.decide(queue, &mut turn, &mut decided, &mut later).await {
            Ok(()) => self.write(turn, decided, queue).await,
            Err(problem) => self.fail(problem, decided),
        }
        for job in later {
            queue.again(job);
        }
        Ok(())
    }

    fn failed(&self, problem: Problem, requests: usize) -> Problem {
        self.shared.health.ended(&Err(problem.clone()), false, requests);
        problem
    }

    fn boot(&self) -> HostTime {
        self.clock.boot()
    }

    /// Decides the waiting requests.
    async fn decide(
        &mut self,
        queue: &mut Queue,
        turn: &mut TurnRows,
        decided: &mut Vec<Job>,
        later: &mut Vec<Job>,
    ) -> Result<(), Problem> {
        let (began, abilities) = (self.boot(), self.shared.facts.abilities);
        while decided.len() < TOGETHER
            && turn.widest() < abilities.wide
            && self.boot().since(began) < SLICE_MS
        {
            let mut round = self.round(queue);
            if round.is_empty() {
                break;
            }
            for _ in 0..READINGS {
                let mut wanting = Vec::new();
                for mut job in round {
                    match job.decide(turn) {
                        Ok(()) => decided.push(job),
                        Err(Stop::Later) => later.push(job),
                        Err(_) => wanting.push(job),
                    }
                }
                round = wanting;
                if round.is_empty() {
                    break;
                }
                let wants = turn.take_wants();
                if wants.is_empty() {
                    continue;
                }
                let began = Instant::now();
                let read = self.answers.during(self.back_end.read(&wants)).await;
                self.shared.meter.read.took(began.elapsed());
                match read {
                    Ok(answers) => {
                        turn.now = self.clock.now(self.back_end.told());
                        turn.learn(wants, answers);
                    }
                    Err(fault) => {
                        // They get the error together with the decided ones.
                        decided.append(&mut round);
                        return Err(fault);
                    }
                }
            }
            for job in round {
                job.answer(Err(Problem::unavailable("the store does not find what it looks for")));
            }
        }
        Ok(())
    }

    /// Takes as many requests as rows can be read for at once, skipping those without a waiting caller.
    fn round(&mut self, queue: &mut Queue) -> Vec<Job> {
        let mut round = Vec::new();
        let (at, now) = (self.boot(), Instant::now());
        while round.len() < self.shared.facts.abilities.at_once {
            let Some(mut job) = queue.pop() else { break };
            job.waited(now).inspect(|waited| self.shared.meter.waited.took(*waited));
            if job.is_abandoned() {
                self.shared.meter.abandoned.one();
            } else if let Some(problem) = job.is_late(at) {
                self.shared.meter.late.one();
                job.answer(Err(problem));
            } else {
                round.push(job);
            }
        }
        round
    }

    async fn write(&mut self, turn: TurnRows, decided: Vec<Job>, queue: &mut Queue) {
        let mut groups = turn.groups();
        let (now, boot) = (self.clock.now(None), self.boot());
        let beats = !groups.groups.is_empty()
            && self.beaten.is_none_or(|beaten| boot.since(beaten) >= BEAT_MS);
        if beats && groups.place(Scope::Beat).is_none() {
            groups.push(Scope::Beat, vec![Write::Beat(now)]);
            self.beaten = Some(boot);
        }
        if !decided.is_empty() {
            self.shared.meter.requests.note(decided.len() as u64);
        }
        let mut lines = turn.lines();
        let (granted, other): (Vec<_>, Vec<_>) =
            decided.into_iter().partition(|job| job.scope != Scope::Server);
        // What is read of the register waits for nobody in it.
        other.into_iter().for_each(|job| self.answers.put(job));
        let decided = granted;
        let writes = !lines.is_empty() || !groups.groups.is_empty();
        if writes && !self.guard.may_write() {
            self.put_off(turn).await;
            return self.hold(self.guard.first_beat(), Vec::new(), Vec::new(), decided, false);
        }
        let compared = self.guard.compare(&mut self.back_end, &lines);
        match self.answers.during(compared).await {
            Ok(below) if below.is_empty() => {}
            Ok(below) => {
                // Either the store was put back, or the cache is older than what another server wrote.
                self.put_off(turn).await;
                below.iter().for_each(|line| self.cache.doubt(Scope::of(line)));
                return decide_again(decided, queue);
            }
            Err(problem) => return self.fail(problem, decided),
        }
        let began = Instant::now();
        let written = self.answers.during(self.back_end.write(&groups.groups)).await;
        if !groups.groups.is_empty() {
            self.shared.meter.write.took(began.elapsed());
        }
        let outcomes = match written {
            Ok(outcomes) => outcomes,
            Err(problem) => return self.fail(problem, decided),
        };
        lines.retain(|change| groups.holds(Scope::of(&change.line), &outcomes));
        let longest_ms = longest_ms(&groups.groups);
        let written = self.boot();
        let announced = self.guard.announce(&mut self.back_end, lines, longest_ms, written);
        let beat = match self.answers.during(announced).await {
            Ok(Announced::Noted) => None,
            Ok(Announced::At(beat)) => Some(beat),
            Ok(Announced::Undone) => return decide_again(decided, queue),
            Err(problem) => return self.fail(problem, decided),
        };
        // Sends the rest, if the write returned without a wait.
        self.answers.send();
        let is_done = |new: &InHand| groups.holds(Scope::Tag(new.tag), &outcomes);
        let in_hand: Vec<_> = turn.in_hand().filter(is_done).collect();
        let changed: Vec<Name> = turn.settled_tags().copied().collect();
        self.cache = turn.into_cache();
        for (group, outcome) in groups.groups.iter().zip(&outcomes) {
            self.cache.learn(group, outcome);
            for write in group {
                if let Write::Namespace { after, .. } = write {
                    self.clock.learn_window(after.namespace.max_window_ms);
                }
            }
        }
        let done = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Done(_)));
        let failed = outcomes.iter().find_map(|outcome| match outcome {
            Outcome::Failed(problem) => Some(problem.clone()),
            _ => None,
        });
        self.shared.health.ended(&failed.map_or(Ok(()), Err), done, decided.len());
        let mut granted = Vec::new();
        for job in decided {
            let place = groups.place(job.scope);
            match place.map(|place| outcomes.get(place)) {
                None | Some(Some(Outcome::Done(_))) => granted.push(job),
                Some(Some(Outcome::Conflict)) => {
                    self.shared.meter.conflicts.one();
                    lost(job, queue);
                }
                Some(Some(Outcome::Failed(problem) | Outcome::Locked(problem))) => {
                    job.answer(Err(problem.clone()));
                }
                Some(None) => job.answer(Err(Problem::unavailable("the store gave no answer"))),
            }
        }
        match beat {
            Some(beat) if !self.guard.is_alone() => {
                self.hold(beat, in_hand, changed, granted, true);
            }
            _ => {
                self.shared.hands.put(&in_hand, &changed, boot);
                granted.into_iter().for_each(|job| self.answers.put(job));
            }
        }
    }

    /// Ends a turn without its writes: the store would stay locked until the next one begins.
    async fn put_off(&mut self, turn: TurnRows) {
        self.cache = turn.into_cache();
        // If this fails, too, the next turn notices.
        let _ = self.back_end.write(&[]).await;
    }

    /// Has requests wait for the other servers; if they are not written, they are decided again then.
    fn hold(
        &mut self,
        beat: Beat,
        in_hand: Vec<InHand>,
        changed: Vec<Name>,
        jobs: Vec<Job>,
        is_written: bool,
    ) {
        let (epoch, since) = (self.guard.epoch(), Instant::now());
        self.held.push_back(Held { beat, epoch, since, jobs, in_hand, changed, is_written });
    }

    /// Answers what the other servers have acked; what was written before a fence is decided again.
    fn let_go(&mut self, queue: &mut Queue) {
        let boot = self.boot();
        while let Some(first) = self.held.pop_front() {
            let Held { beat, epoch, since, .. } = first;
            if epoch != self.guard.epoch() || !first.is_written && self.guard.may_write() {
                decide_again(first.jobs, queue);
            } else if first.is_written && self.guard.is_acked(beat) {
                self.shared.hands.put(&first.in_hand, &first.changed, boot);
                for job in first.jobs {
                    self.shared.meter.acks.took(since.elapsed());
                    self.answers.put(job);
                }
            } else if since.elapsed() >= ACKED {
                let problem = self.guard.waited_too_long(beat);
                let problem = self.failed(problem, first.jobs.len());
                first.jobs.into_iter().for_each(|job| job.answer(Err(problem.clone())));
            } else {
                self.held.push_front(first);
                return;
            }
        }
    }

    /// Answers the requests of a failed turn. It is unknown what was written, so the cache is dropped.
    fn fail(&mut self, problem: Problem, jobs: Vec<Job>) {
        let problem = self.failed(problem, jobs.len());
        for job in jobs {
            job.answer(Err(problem.clone()));
        }
    }
}

/// Requests that are durable and not answered yet. Waking their callers takes longer than deciding the next
/// requests, so it happens while the database writes those.
#[derive(Default)]
struct Answers(Vec<Job>);

impl Answers {
    fn put(&mut self, job: Job) {
        self.0.push(job);
    }

    fn send(&mut self) {
        for job in self.0.drain(..) {
            job.answer(Ok(()));
        }
    }

    /// Awaits a future, and sends all answers meanwhile if it does not complete at once.
    async fn during<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        if self.0.is_empty() {
            return wait.await;
        }
        if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await
        {
            return done;
        }
        // The task that sends the request may need this thread.
        tokio::task::yield_now().await;
        self.send();
        wait.await
    }
}

fn decide_again(jobs: Vec<Job>, queue: &mut Queue) {
    jobs.into_iter().for_each(|job| lost(job, queue));
}

/// Queues a request for a retry after a lost race, with a growing, random pause so that two servers do not
/// collide again.
fn lost(mut job: Job, queue: &mut Queue) {
    job.lost += 1;
    if job.lost >= TRIES {
        let detail = format!(
            "others wrote the same rows first, {TRIES} times in a row; nothing was granted: ask \
             again"
        );
        return job.answer(Err(Problem::unavailable(detail)));
    }
    let longest = (1 << (job.lost - 1)).min(LONGEST_PAUSE_MS) - 1;
    let chance = random::bytes().map_or(0, |[byte]| u64::from(byte));
    job.due = Instant::now() + Duration::from_millis(longest * chance / 255);
    queue.again(job);
}

#[cfg(test)]
mod tests;

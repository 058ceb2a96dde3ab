//! One turn of the registry after another: what waits together is decided together, written
//! together, and answered when that is durable.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::StoreTime;
use tokio::time::Instant;

use super::cache::Cache;
use super::health::Health;
use super::job::{Decided, Job, Worth};
use super::queue::Queue;
use super::rows::TurnRows;
use super::stop::Stop;
use super::time::Time;
use crate::backends::{Abilities, BackEnd, Facts, Fault, Outcome, Watch};
use crate::clock::Clock;
use crate::fence::Guard;
use crate::fence::guard::Begun;
use crate::meter;
use crate::problem::Problem;
use crate::random;

mod answers;
#[cfg(test)]
mod tests;

pub use answers::Answers;

/// How many are written together at most.
const TOGETHER: usize = 1_024;
/// After this many ms of work what is decided is written and answered, and the rest waits its turn.
const SLICE_MS: i64 = 20;
/// How often a request reads what it wants: a namespace, its own rows, and what is free.
const READINGS: usize = 32;
/// A request whose rows others wrote first this many times is given up.
const TRIES: u32 = 12;
/// The first try of a lost race is at once, the last pause is as many ms long at most.
const LONGEST_PAUSE_MS: u64 = 64;

/// What has the turns.
pub struct Turns<B: BackEnd> {
    /// Where the rows lie.
    pub back_end: B,
    /// How it is to be used, and what it can tell.
    pub abilities: Abilities,
    /// What is always true of it.
    pub facts: Facts,
    /// Whether it is still the one that was opened.
    pub watch: Arc<dyn Watch>,
    /// Whether tags and namespaces are created on first use.
    pub first_use: bool,
    /// How the last writing ended.
    pub health: Arc<Health>,
    /// The clock that only ticks.
    pub clock: Arc<dyn Clock>,
    /// The back end's time.
    pub time: Time,
    /// What was written last.
    pub cache: Cache,
    /// What is done and not answered yet.
    pub answers: Answers,
    /// Whether the database lost something.
    pub guard: Guard,
    /// How long all of it takes.
    pub meter: Arc<meter::turns::Turns>,
}

impl<B: BackEnd> Turns<B> {
    /// Goes on until nobody is left who could ask.
    pub async fn run(mut self, mut queue: Queue) {
        loop {
            // While the next turn is written there is time for them, if that is a wait and comes now.
            if !self.abilities.waits || !queue.is_waiting() {
                self.answers.send();
            }
            if !queue.wait().await {
                return;
            }
            if let Err(problem) = self.turn(&mut queue).await {
                for job in queue.drain() {
                    job.answer(Err(problem.clone()));
                }
            }
            queue.tell(&self.meter);
        }
    }

    /// Does what waits. An error is for all who wait: the next attempt would take as long to fail.
    async fn turn(&mut self, queue: &mut Queue) -> Result<(), Problem> {
        if let Some(problem) = self.watch.gone() {
            return Err(problem);
        }
        self.health.wait(self.clock.boot());
        let began = Instant::now();
        let begun = self.answers.during(self.back_end.begin()).await;
        self.meter.begin.took(began.elapsed());
        let mut now = match begun {
            Ok(now) => now,
            Err(fault) => {
                queue.gather();
                let failed = Err(Problem::from(&fault));
                self.health.ended(&failed, false, queue.len());
                return failed;
            }
        };
        queue.gather();
        queue.tell(&self.meter);
        let told = self.now(now);
        let compared = self.guard.begin(&mut self.back_end, told, self.clock.boot());
        match self.answers.during(compared).await {
            Ok(Begun::Same) => {}
            Ok(Begun::Compared) => {
                self.cache = Cache::default();
                now = self.back_end.begin().await.map_err(|fault| Problem::from(&fault))?;
            }
            Err(problem) => {
                self.end_turn().await;
                let failed = Err(problem);
                self.health.ended(&failed, false, queue.len());
                return failed;
            }
        }
        let now = self.now(now);
        self.health.tell(now, self.clock.boot());
        let cache = std::mem::take(&mut self.cache);
        let mut turn = TurnRows::new(&self.facts, self.first_use, now, cache);
        let (mut decided, mut later) = (Vec::new(), Vec::new());
        match self.decide(queue, &mut turn, &mut decided, &mut later).await {
            Ok(()) => self.write(turn, decided, queue).await,
            Err(Halt::Fault(fault)) => self.fail(&fault, decided),
            Err(Halt::WentBack) => {
                // The next turn begins by looking at the whole store.
                self.end_turn().await;
                later.append(&mut decided);
            }
        }
        for job in later {
            queue.again(job);
        }
        Ok(())
    }

    /// Ends a turn in which nothing is written.
    async fn end_turn(&mut self) {
        // Where even this fails, the next turn hears of it.
        let _ = self.back_end.write(&[]).await;
    }

    /// The time, as the back end says or as its last answer and the clock have it.
    fn now(&mut self, said: Option<StoreTime>) -> StoreTime {
        if let Some(now) = said {
            self.time.learn(now, self.clock.boot());
        }
        self.time.now(self.clock.boot())
    }

    /// Decides what waits, until a turn is full.
    async fn decide(
        &mut self,
        queue: &mut Queue,
        turn: &mut TurnRows,
        decided: &mut Vec<Job>,
        later: &mut Vec<Job>,
    ) -> Result<(), Halt> {
        let began = self.clock.boot();
        while decided.len() < TOGETHER
            && turn.widest() < self.abilities.wide
            && self.clock.boot().since(began) < SLICE_MS
        {
            let mut round = self.round(queue);
            if round.is_empty() {
                break;
            }
            for _ in 0..READINGS {
                let mut wanting = Vec::new();
                for mut job in round {
                    let done = match job.decide(turn) {
                        Decided::Done => verified(turn.verify(job.scope)),
                        waits => waits,
                    };
                    match done {
                        Decided::Done => decided.push(job),
                        Decided::Later => later.push(job),
                        Decided::Wanting => wanting.push(job),
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
                self.meter.read.took(began.elapsed());
                match read {
                    Ok(read) => {
                        if self.abilities.notices && self.guard.doubts(&wants, &read.answers) {
                            decided.append(&mut round);
                            return Err(Halt::WentBack);
                        }
                        self.time.learn(read.now, self.clock.boot());
                        turn.now = self.time.now(self.clock.boot());
                        turn.learn(wants, read.answers);
                    }
                    Err(fault) => {
                        // They are told with those that were decided before.
                        decided.append(&mut round);
                        return Err(Halt::Fault(fault));
                    }
                }
            }
            for job in round {
                job.answer(Err(Problem::unavailable("the store does not find what it looks for")));
            }
        }
        Ok(())
    }

    /// As many as are worth doing, and as are read for at once.
    fn round(&mut self, queue: &mut Queue) -> Vec<Job> {
        let mut round = Vec::new();
        let (at, now) = (self.clock.boot(), Instant::now());
        while round.len() < self.abilities.at_once {
            let Some(mut job) = queue.pop() else { break };
            job.waited(now).inspect(|waited| self.meter.waited.took(*waited));
            match job.worth(at) {
                Worth::Nothing => self.meter.abandoned.one(),
                Worth::TooLate(waited_ms) => {
                    self.meter.late.one();
                    job.refuse(waited_ms);
                }
                Worth::Done => round.push(job),
            }
        }
        round
    }

    /// Writes what was decided, and answers it.
    async fn write(&mut self, turn: TurnRows, decided: Vec<Job>, queue: &mut Queue) {
        let groups = turn.groups();
        self.meter.requests.note(decided.len() as u64);
        let began = Instant::now();
        let written = self.answers.during(self.back_end.write(&groups.groups)).await;
        if !groups.groups.is_empty() {
            self.meter.write.took(began.elapsed());
        }
        let written = match written {
            Ok(written) => written,
            Err(fault) => return self.fail(&fault, decided),
        };
        // There was nothing to wait for, and they wait no longer.
        self.answers.send();
        self.guard.wrote(&groups.groups, &written.outcomes);
        self.cache = turn.into_cache();
        for (group, outcome) in groups.groups.iter().zip(&written.outcomes) {
            self.cache.learn(group, outcome);
        }
        self.time.learn(written.now, self.clock.boot());
        let mut failed = None;
        let mut done = false;
        for outcome in &written.outcomes {
            match outcome {
                Outcome::Done(_) => done = true,
                Outcome::Conflict | Outcome::Locked(_) => {}
                Outcome::Failed(fault) => failed = Some(Problem::from(fault)),
            }
        }
        self.health.ended(&failed.map_or(Ok(()), Err), done, decided.len());
        for job in decided {
            let place = groups.place(job.scope);
            match place.map(|place| written.outcomes.get(place)) {
                None | Some(Some(Outcome::Done(_))) => self.answers.put(job),
                Some(Some(Outcome::Conflict)) => {
                    self.meter.conflicts.one();
                    lost(job, queue);
                }
                Some(Some(Outcome::Failed(fault) | Outcome::Locked(fault))) => {
                    job.answer(Err(fault.into()));
                }
                Some(None) => job.answer(Err(Problem::unavailable("the store gave no answer"))),
            }
        }
        let now = self.time.now(self.clock.boot());
        let noted = self.guard.note(&mut self.back_end, now, self.clock.boot());
        self.answers.during(noted).await;
    }

    /// All of a turn failed, and nobody knows what was written: what was known is forgotten.
    fn fail(&mut self, fault: &Fault, jobs: Vec<Job>) {
        let problem = Problem::from(fault);
        self.health.ended(&Err(problem.clone()), false, jobs.len());
        for job in jobs {
            job.answer(Err(problem.clone()));
        }
    }
}

/// Why a turn is not gone on with.
enum Halt {
    /// The back end failed.
    Fault(Fault),
    /// A row was read that stands below what was written.
    WentBack,
}

fn verified(verified: Result<(), Stop>) -> Decided {
    match verified {
        Ok(()) => Decided::Done,
        Err(Stop::Later) => Decided::Later,
        Err(_) => Decided::Wanting,
    }
}

/// Somebody else wrote first: it is decided again, after a pause that is longer each time, and not
/// the same for two servers.
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

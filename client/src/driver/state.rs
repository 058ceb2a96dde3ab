//! The state behind a generator's mutex: asks, grants, failures, pending releases.
//!
//! Rules of the lock: it is held for moments only; its holder neither waits for the interpreter
//! lock nor calls a store or a log; a forked child never takes an inherited one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{
    Action, Ask, Clocks, Code, Event, Failure, Grant, HostTime, Outcome, Release, SharedLine,
    StateWrite, Stats,
};
use leafid_wire::{Subject, advice};

use crate::Error;
use crate::driver::{Config, Core, each};
use crate::host::clock::Clock;

/// The core's generator, and its requests to the store.
pub struct State {
    pub core: Core,
    pub config: Arc<Config>,
    clock: Clock,
    /// The number of answers so far, failures included.
    pub answers: u64,
    pub last: Option<Arc<Error>>,
    pub driven: bool,
    /// Dropped when the driver has ended.
    pub needed: Option<Box<dyn Send>>,
    /// Closed: the driver sends the pending releases, then ends.
    pub closing: bool,
    /// The state file is not open yet; nothing is asked for before.
    pub unopened: bool,
    /// `forget` was called before the state file was open: its record counts no more.
    pub forgotten: bool,
    pub saving: bool,
    pub said: Vec<String>,
    /// What the log is told once the lock is free, and whether each is a warning.
    pub noted: Vec<(bool, String)>,
    /// Why the state file cannot be used: without it no ID is handed out.
    pub unkept: Option<Error>,
    reconnect: bool,
    /// The core's wishes, until their thread fetches them: this one the driver, `write` the saver.
    ask: Option<Ask>,
    write: Option<StateWrite>,
    outbox: VecDeque<Release>,
    pub sending: bool,
    /// The counters of earlier generators, replaced when everything was given back.
    counted: Option<Stats>,
    clocks: Clocks,
}

/// A task for the driver.
pub enum Errand {
    /// Ask the store; with the time when the ask left, on the host's clock.
    Ask(Ask, HostTime),
    Release(Release),
    Reconnect,
    End,
    /// Rest for this long, or until a call.
    Rest(Option<Duration>),
}

impl State {
    pub fn new(core: Core, config: Arc<Config>, clock: Clock) -> State {
        let unopened = config.state().is_some();
        State {
            core,
            unopened,
            forgotten: false,
            saving: false,
            said: Vec::new(),
            noted: Vec::new(),
            unkept: None,
            config,
            clock,
            answers: 0,
            last: None,
            driven: false,
            needed: None,
            closing: false,
            reconnect: false,
            ask: None,
            write: None,
            outbox: VecDeque::new(),
            sending: false,
            counted: None,
            clocks: Clocks::default(),
        }
    }

    /// Takes the driver's next task, if there is one now.
    pub fn errand(&mut self, entropy: [u8; 16]) -> Option<Errand> {
        if std::mem::take(&mut self.reconnect) {
            return Some(Errand::Reconnect);
        }
        self.advance(entropy);
        if let Some(release) = self.outbox.pop_front() {
            self.sending = true;
            return Some(Errand::Release(release));
        }
        if self.closing {
            // The state file's last write may free a window, which is released after it.
            return (!self.saving).then_some(Errand::End);
        }
        self.ask.take().map(|ask| Errand::Ask(ask, self.clock.exact()))
    }

    /// Takes the next write to the state file, if one is due.
    pub fn write(&mut self, entropy: [u8; 16]) -> Option<StateWrite> {
        self.advance(entropy);
        self.write.take()
    }

    /// After how long to look again without a call.
    pub fn look_in(&self) -> Option<Duration> {
        let at = each!(Core, &self.core, core => core.poll_at()).filter(|_| self.is_ready());
        let ms = at.map(|at| at.since(self.clock.exact()).max(1));
        ms.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis)
    }

    /// Whether the state file is open, or none is kept.
    fn is_ready(&self) -> bool {
        !self.unopened && self.unkept.is_none()
    }

    fn advance(&mut self, entropy: [u8; 16]) {
        if !self.is_ready() {
            return;
        }
        // Exact, as everywhere but on the hot path: coarse time lags, and would seem to have gone
        // back since the last answer.
        let now = self.clock.exact();
        self.notice_leap(now);
        let core = &mut self.core;
        while let Some(action) =
            each!(Core, core, core => core.poll(now, entropy).map(Action::of_any))
        {
            match action {
                Action::Ask(ask) => self.ask = Some(ask),
                Action::Write(write) => self.write = Some(write),
            }
        }
    }

    /// Whether the driver has a task.
    pub fn wants_driver(&self) -> bool {
        self.ask.is_some() || !self.outbox.is_empty()
    }

    fn notice_leap(&mut self, now: HostTime) {
        let Core::Snowflake(core) = &mut self.core else { return };
        if self.clocks.look(now, self.clock.wall()) != 0 {
            core.resumed();
        }
    }

    /// Takes the answer of an ask that left at `sent`; returns a grant that was applied.
    pub fn answered(
        &mut self,
        ask: &Ask,
        sent: HostTime,
        answer: Result<Grant, Error>,
    ) -> Option<Grant> {
        let now = self.clock.exact();
        self.answers += 1;
        let failure =
            |failed: &Error| Failure { code: failed.code(), retry_after_ms: failed.retry().1 };
        let heard = answer.as_ref().copied().map_err(failure);
        let event = Event::Answer { request: ask.request(), sent, answer: heard };
        let outcome = each!(Core, &mut self.core, core => core.handle(event.of(), now));
        // Drops an ask that the core repeated meanwhile.
        self.ask = self.ask.filter(|again| again.request() != ask.request());
        if let Ok(Outcome::Release(release)) = outcome {
            self.outbox.push_back(release);
        }
        let failed = match (answer, outcome) {
            (Ok(grant), Ok(_)) => {
                if self.last.is_some() {
                    self.noted.push((false, format!("{} has IDs again", self.config.subject())));
                }
                self.last = None;
                return Some(grant);
            }
            (Ok(grant), Err(refusal)) => unfit(refusal.code, ask, &grant, self.config.subject()),
            (Err(failed), _) => failed,
        };
        // After a permanent failure the store is asked again only on a caller's next call, or while
        // IDs are at hand: an operator may repair it before they are used up.
        let left = each!(Core, &self.core, core => core.stats()).in_hand;
        if failed.code().is_permanent() && left == 0 {
            each!(Core, &mut self.core, core => core.rest());
        }
        // Logged once per change: an outage of hours is one line.
        if self.last.as_ref().is_none_or(|last| last.code() != failed.code()) {
            let about = self.config.subject();
            let code = failed.code().as_str();
            let message = format!("{about}: {code}: {failed} ({left} IDs at hand)");
            self.noted.push((true, message));
        }
        self.last = Some(Arc::new(failed));
        None
    }

    /// Closes the line for good, as [`Holding::retire`](crate::driver::Holding::retire).
    pub fn retire(&mut self, gives_up: bool) {
        let core = &mut self.core;
        let release =
            each!(Core, core, core => if gives_up { core.give_up() } else { core.retire() });
        self.outbox.extend(release);
        self.closing = true;
    }

    /// Takes the result of a write; whether it changed anything.
    pub fn written(&mut self, is_done: bool) -> bool {
        let event = if is_done { Event::Written } else { Event::NotWritten };
        let now = self.clock.exact();
        let outcome = each!(Core, &mut self.core, core => core.handle(event.of(), now));
        if let Ok(Outcome::Release(release)) = outcome {
            self.outbox.push_back(release);
        }
        outcome == Ok(Outcome::Applied)
    }

    /// Gives back what is in hand as [`retire`](Self::retire) does, and puts a new, empty generator on
    /// the same line, which continues above it. A generator that has stopped for good stays.
    pub fn give_back(&mut self, seed: u64, line: &Arc<SharedLine>) -> Result<(), Error> {
        // A state file keeps its window for the next start.
        let keeps = self.config.state().is_some();
        let failure = each!(Core, &self.core, core => core.failure());
        if keeps || self.closing || failure.is_some_and(Code::stops) {
            return Ok(());
        }
        let refused = |refusal| Error::about(refusal, self.config.subject());
        let counted = self.stats();
        let mut next = self.config.build(seed, Arc::clone(line)).map_err(refused)?;
        self.outbox.extend(each!(Core, &mut self.core, core => core.retire()));
        let carried = each!(Core, &self.core, core => core.carryover());
        each!(Core, &mut next, core => core.resume(carried)).map_err(refused)?;
        self.core = next;
        self.counted = Some(counted);
        (self.last, self.ask) = (None, None);
        each!(Core, &mut self.core, core => core.rest());
        Ok(())
    }

    /// Whether every release was sent. Also true without a driver, which alone could send them.
    pub fn has_given_back(&self) -> bool {
        !self.driven || (self.outbox.is_empty() && !self.sending)
    }

    /// Whether neither the driver nor the thread of a state file runs.
    pub fn is_done(&self) -> bool {
        !self.driven && !self.saving
    }

    /// Whether the state file is void, so that the next process takes nothing from it. Also true where no
    /// file is kept.
    pub fn is_void(&self) -> bool {
        !self.saving || !each!(Core, &self.core, core => core.is_voiding())
    }

    /// The counters, including those of earlier generators.
    pub fn stats(&self) -> Stats {
        let now = each!(Core, &self.core, core => core.stats());
        let Some(before) = self.counted else { return now };
        Stats {
            ids: before.ids + now.ids,
            asks: before.asks + now.asks,
            grants: before.grants + now.grants,
            failures: before.failures + now.failures,
            waits: before.waits + now.waits,
            dropped: before.dropped + now.dropped + before.in_hand,
            gaps: before.gaps + now.gaps,
            ..now
        }
    }

    /// Drops every right without a release, and the connections.
    pub fn forget(&mut self) {
        each!(Core, &mut self.core, core => {
            core.forget();
            core.rest();
        });
        self.forgotten |= self.unopened;
        self.outbox.clear();
        (self.last, self.ask) = (None, None);
        self.reconnect = self.driven;
    }
}

/// The failure for an unusable grant, with its figures.
fn unfit(code: Code, ask: &Ask, grant: &Grant, about: Subject<'_>) -> Error {
    let advice = advice(code);
    if grant.request() != ask.request() {
        let message = format!("the store's answer for {about} is to another request: {advice}");
        return Error::new(code, message);
    }
    let figures = match grant {
        Grant::Segment(grant) => {
            format!("[{}, {}) of tag `{}`", grant.range.start, grant.range.end, grant.tag)
        }
        Grant::Window(grant) => format!(
            "ticks [{}, {}) of worker {} at {} ms",
            grant.ticks.start,
            grant.ticks.end,
            grant.worker,
            grant.now.get(),
        ),
    };
    match code {
        Code::GrantInvalid => {
            let what = format!("the store's answer for {about} cannot be right");
            Error::new(code, format!("{what}: it grants {figures}; {advice}"))
        }
        _ => Error::about(code.into(), about),
    }
}
